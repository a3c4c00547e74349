import { defineAgent, defineState, defineTool, scriptedModel } from "reprise";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { type OpenStudio, openScreen, openStudio } from "./support/open-studio.ts";

const HOSTILE = `<img src=x onerror="document.title='hacked'"><script>document.title="hacked"</script>[x](javascript:alert(1))`;

describeWithService("chromium", "the studio", ({ binary }) => {
  const refunded: unknown[] = [];
  const refund = defineTool({
    id: "refund",
    description: "Refunds an order.",
    inputSchema: z.object({ order: z.number(), euros: z.number().max(100) }),
    needsApproval: true,
    execute: (input) => {
      refunded.push(input);
      return "refunded";
    },
  });
  const clerk = defineAgent({
    id: "clerk",
    tools: [refund],
    model: scriptedModel(({ messages }) =>
      messages.at(-1)?.role === "user"
        ? [
            { call: "refund", arguments: { order: 7, euros: 50 } },
            { call: "refund", arguments: { order: 8, euros: 20 } },
          ]
        : "Decided.",
    ),
  });
  const notes = defineState({
    path: "notes",
    initial: (): string[] => [],
    actions: { add: (list, note: string) => [...list, note] },
  });
  const add = defineTool({
    id: "add",
    description: "Adds a note.",
    execute: (_, { state }) => state.apply(notes.add(`note ${state.get(notes).length + 1}`)),
  });
  const noter = defineAgent({
    id: "noter",
    tools: [add],
    model: scriptedModel(({ messages }) => {
      const results = messages.filter(({ role }) => role === "tool").length;
      return results < 2 ? [{ call: "add" }] : "Two notes.";
    }),
  });
  const show = defineTool({ id: "show", description: HOSTILE, execute: () => ({ [HOSTILE]: HOSTILE }) });
  const hostile = defineAgent({
    id: "hostile",
    name: HOSTILE,
    description: HOSTILE,
    tools: [show],
    model: scriptedModel(({ messages }) =>
      messages.at(-1)?.role === "user"
        ? [{ text: HOSTILE }, { call: "show", arguments: { [HOSTILE]: HOSTILE } }]
        : HOSTILE,
    ),
  });
  const talker = defineAgent({
    id: "talker",
    model: scriptedModel([[{ text: Array.from({ length: 10_000 }, (_, at) => `${at} `) }]]),
  });
  const helper = defineAgent({ id: "helper", model: scriptedModel(["Worked out."]) });

  let open: OpenStudio;
  beforeAll(async () => {
    open = await openStudio(binary, [clerk, noter, hostile, talker, helper]);
  }, 60_000);
  afterAll(() => open.close(), 60_000);

  const run = async (agent: string, threadId: string, input = "go"): Promise<string> => {
    const started = await open.runtime.start({ agent, threadId, input });
    await started.outcome();
    return started.id;
  };

  it("decides two calls of one tool in reverse order by the keyboard alone, one edited, one denied with a reason", async () => {
    await run("clerk", "orders", "refund both");
    const page = await openScreen(open, "/inbox", { expected: /status of 422/ });
    const question = page.getByRole("region", { name: "Question about refund" });
    await question.getByText('"order": 7').waitFor();
    await page.getByRole("link", { name: /Inbox.*2 open/ }).waitFor();
    await page.keyboard.press("j");
    await question.getByText('"order": 8').waitFor();
    await page.keyboard.press("e");
    const field = page.getByRole("textbox", { name: "New arguments of refund" });
    await field.fill('{"order":8,"euros":900}');
    await page.keyboard.press("Control+Enter");
    await page.getByRole("alert").getByText("The edited arguments of refund were refused").waitFor();
    await field.fill('{"order":8,"euros":15}');
    expect(await page.getByRole("group", { name: "What you change" }).locator("ins").allTextContents()).toEqual([
      '+   "euros": 15',
    ]);
    await page.keyboard.press("Control+Enter");
    await question.getByText('"order": 7').waitFor();
    await page.keyboard.press("d");
    await page.keyboard.type("Too late.");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
    await expect.poll(() => refunded).toEqual([{ order: 8, euros: 15 }]);
    const page2 = await openScreen(open, "/threads/orders");
    await page2.getByText("Decided.").waitFor();
    await page2.getByText("denied", { exact: true }).waitFor();
  }, 60_000);

  it("decides once for a key that is held, and takes no letter of a reason for a key", async () => {
    const before = refunded.length;
    for (const thread of ["held-1", "held-2", "held-3"]) await run("clerk", thread, "refund both");
    const page = await openScreen(open, "/inbox");
    await page.getByText("6 open questions").waitFor();
    for (let times = 0; times < 5; times += 1) await page.keyboard.down("a");
    await page.keyboard.up("a");
    await page.getByText("5 open questions").waitFor();
    const reason = page.getByRole("textbox", { name: "Reason, which the model reads" });
    await page.keyboard.press("d");
    await page.keyboard.type("a bad jerk asked");
    expect(await reason.inputValue()).toBe("a bad jerk asked");
    await page.keyboard.press("Escape");
    await reason.waitFor({ state: "detached" });
    await page.getByText("5 open questions").waitFor();
    await page.keyboard.press("d");
    await page.keyboard.type("made a mistake");
    await page.keyboard.press("Enter");
    await page.getByText("4 open questions").waitFor();
    for (const key of ["x", "j", "x"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "Deny 2 chosen" }).waitFor();
    await page.keyboard.press("Shift+D");
    await page.getByText("2 open questions").waitFor();
    for (const key of ["x", "j", "x"]) await page.keyboard.press(key);
    await page.keyboard.press("Shift+D");
    await page.getByRole("heading", { name: "Nothing needs you" }).waitFor();
    expect(refunded.slice(before)).toEqual([{ order: 7, euros: 50 }]);
    const results: string[] = [];
    for (const thread of ["held-1", "held-2", "held-3"]) {
      const { messages } = await open.runtime.threads.messages(thread);
      results.push(...messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.stringify(content)));
    }
    expect(results.filter((result) => result.includes("made a mistake"))).toHaveLength(1);
  }, 60_000);

  it("rewinds by keys, with the conversation, the state and the address, and forks from there", async () => {
    await run("noter", "noted");
    const page = await openScreen(open, "/threads/noted");
    await page.getByText("Two notes.").waitFor();
    const bar = page.getByRole("slider", { name: "Version" });
    const last = Number(await bar.getAttribute("aria-valuenow"));
    await page.getByRole("tab", { name: "State" }).click();
    await page.getByRole("group", { name: "State" }).getByText('"note 2"').waitFor();
    for (let times = 0; times < 3; times += 1) await page.keyboard.press("[");
    await page.waitForURL(`**/threads/noted?at=${last - 3}`);
    await page.getByText(`Version ${last - 3} of ${last}`).waitFor();
    await page.getByRole("group", { name: "State" }).getByText('"note 1"').waitFor();
    expect(await page.getByRole("group", { name: "State" }).getByText('"note 2"').count()).toBe(0);
    const dimmed = page.locator(".later", { hasText: "Two notes." });
    await dimmed.waitFor();
    // The address alone shows the same moment.
    await page.reload();
    await page.getByText(`Version ${last - 3} of ${last}`).waitFor();
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.waitForURL((address) => !address.pathname.endsWith("/noted"));
    await page.getByText("add", { exact: true }).first().waitFor();
    expect(await page.getByText("Two notes.").count()).toBe(0);
  }, 60_000);

  it("tells a run, verifies its replay, and shows where a replay differs first", async () => {
    const id = await run("noter", "told");
    const page = await openScreen(open, `/runs/${id}`);
    await page.getByText("The run is done.").waitFor();
    expect(await page.getByText(/^Model answered in .* and asked for add\.$/).count()).toBe(2);
    await page.getByRole("button", { name: "Verify replay" }).click();
    await page.getByText(/^Verified · \d+ events$/).waitFor();
    await page.reload();
    const divergence = {
      version: 3,
      what: "event",
      index: 0,
      expected: { type: "text_delta", seq: 14 },
      actual: { type: "text_delta", seq: 15 },
    };
    await page.route(/\/replay$/, (route) =>
      route.fulfill({ json: { run_id: id, mode: "verify", equal: false, divergence } }),
    );
    await page.getByRole("button", { name: "Verify replay" }).click();
    await page.getByText("Diverged at event 14").waitFor();
    await page.getByText("The replay differs from the recording first in the event of version 3.").waitFor();
  }, 60_000);

  it("runs a step again with other instructions and compares both", async () => {
    const id = await run("noter", "again");
    const page = await openScreen(open, `/runs/${id}`);
    await page.getByRole("button", { name: "Re-run", exact: true }).click();
    await page.getByRole("textbox", { name: "Instructions" }).fill("Be short.");
    await page.getByRole("button", { name: "Re-run and compare" }).click();
    await page.getByRole("heading", { name: "Compare" }).waitFor();
    await page.getByText("Both did the same.").waitFor();
    await page.getByText("Both left the same state.").waitFor();
    await page.getByText("Re-run", { exact: true }).waitFor();
  }, 60_000);

  it("finds runs by filters that the address holds, and opens one by the keyboard", async () => {
    await run("helper", "found", "needle");
    const page = await openScreen(open, "/runs");
    await page.getByRole("combobox", { name: "Agent" }).selectOption("helper");
    await page.waitForURL("**/runs?agent=helper");
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    await page.keyboard.press("Tab");
    await page.locator("#main").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByText("The run is done.").waitFor();
  }, 60_000);

  it("shows a run of 10,000 events with few elements", async () => {
    const id = await run("talker", "long");
    const page = await openScreen(open, `/runs/${id}`);
    await page.getByText("The run is done.").waitFor();
    await page.getByRole("tab", { name: "Events" }).click();
    const list = page.getByRole("region", { name: "Events" });
    await list.getByText("run_start").waitFor();
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await list.getByText("run_finish").waitFor();
    expect(await page.locator("*").count()).toBeLessThan(2_000);
  }, 90_000);

  it("shows text from models, tools and people as text, whatever it holds", async () => {
    const id = await run("hostile", "hostile", HOSTILE);
    for (const path of ["/threads/hostile", `/runs/${id}`, "/runs", `/compare/${id}/${id}`]) {
      const page = await openScreen(open, path);
      await page.getByText("<img src=x").first().waitFor();
      for (const tab of await page.getByRole("tab").all()) await tab.click();
      expect(await page.title()).toBe("Reprise");
      expect(await page.locator("#studio :is(script, img[src=x], a[href^=javascript])").count()).toBe(0);
    }
  }, 90_000);

  it("previews a tool's rule and runs a tool by hand, and counts what models took", async () => {
    await run("noter", "counted");
    const page = await openScreen(open, "/agents/noter");
    await page.getByText("add", { exact: true }).click();
    await page.getByRole("button", { name: "What would happen" }).click();
    await page.getByText(/It would run at once/).waitFor();
    await page.getByRole("button", { name: "Run by hand" }).click();
    await page.getByText(/^Done in /).waitFor();
    await page.getByRole("link", { name: "Ops" }).click();
    await page.getByText("The store reads and writes").waitFor();
    await page.getByRole("link", { name: "Spend" }).click();
    await page.getByRole("cell", { name: "noter" }).first().waitFor();
  }, 60_000);
});
