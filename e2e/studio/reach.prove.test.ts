import { AxeBuilder } from "@axe-core/playwright";
import { defineAgent, defineTool, scriptedModel } from "reprise";
import { defineWorkflow } from "reprise/workflow";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { type OpenStudio, openScreen, openStudio } from "./support/open-studio.ts";

describeWithService("chromium", "what is behind a menu, a key or a tab of the studio", ({ binary }) => {
  let opened: OpenStudio;
  let first: string;
  let second: string;
  let flow: string;
  beforeAll(async () => {
    const send = defineTool({ id: "send", description: "Sends.", needsApproval: true, execute: () => "Sent." });
    const clerk = defineAgent({
      id: "clerk",
      name: "The clerk",
      tools: [send],
      model: scriptedModel(({ messages }) =>
        JSON.stringify(messages.at(-1)).includes("please send") ? [{ call: "send" }] : "A **short** answer.",
      ),
    });
    const workflow = defineWorkflow({
      schema_version: "1.0",
      workflow: {
        id: "flow",
        name: "A flow",
        nodes: [
          { id: "double", type: "transform", expression: "2 * 21" },
          { id: "gate", type: "human_gate", gate_type: "approval", message_template: "Go on?" },
        ],
        edges: [{ from: "double", to: "gate" }],
      },
    });
    opened = await openStudio(binary, [clerk, workflow]);
    const ask = async (threadId: string, input: string): Promise<string> => {
      const run = await opened.runtime.start({ agent: "clerk", threadId, input });
      await run.outcome();
      return run.id;
    };
    first = await ask("one", "hello");
    second = await ask("two", "good day");
    await ask("asking", "please send it");
    const headers = { "content-type": "application/json" };
    const started = await fetch(`${opened.url}/v1/workflows/flow/runs`, { method: "POST", headers, body: "{}" });
    flow = (await started.json()).run_id;
    await (await opened.runtime.run(flow)).outcome();
  }, 120_000);
  afterAll(() => opened.close(), 60_000);

  const PHONE = { viewport: { width: 390, height: 780 }, colorScheme: "dark", reducedMotion: "reduce" } as const;

  it("gives a phone every screen, the search, the theme and the keys", async () => {
    const page = await openScreen(opened, "/", PHONE);
    const more = page.getByRole("button", { name: "More" });
    const dialog = page.getByRole("dialog", { name: "More" });
    for (const [name, heading] of [
      ["Agents", "Agents"],
      ["Flows", "Workflows"],
      ["Ops", "Operations"],
    ] as const) {
      await more.click();
      await dialog.getByRole("link", { name }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("heading", { name: heading, exact: true }).first().waitFor();
    }
    await more.click();
    await dialog.getByRole("button", { name: "Light theme" }).click();
    await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("light");
    await more.click();
    await dialog.getByRole("button", { name: "Keys" }).click();
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await more.click();
    await dialog.getByRole("button", { name: "Go to…" }).click();
    await page.getByRole("combobox", { name: "Go to" }).fill("the clerk");
    await page.getByRole("option", { name: /The clerk\s*Agent/ }).click();
    await page.waitForURL(/\/agents\/clerk$/);
  }, 90_000);

  it("stacks a comparison on a phone", async () => {
    const page = await openScreen(opened, `/compare/${first}/${second}`, PHONE);
    const [one, other] = [
      page.getByText("First", { exact: true }).first(),
      page.getByText("Second", { exact: true }).first(),
    ];
    await other.waitFor();
    const [above, below] = [await one.boundingBox(), await other.boundingBox()];
    expect(below?.x).toBe(above?.x);
    expect(below?.y).toBeGreaterThan(above?.y ?? 0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  }, 60_000);

  it("finds runs in the palette, and compares a fork with its original by a key", async () => {
    const page = await openScreen(opened, "/threads/one");
    await page.getByRole("button", { name: "Fork the thread" }).click();
    await page.waitForURL((address) => !address.pathname.endsWith("/one"));
    await page.getByRole("textbox", { name: "Message" }).fill("hello again");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Compare with the original" }).waitFor();
    await page.locator("#main").focus();
    await page.keyboard.press("c");
    await page.waitForURL(/\/compare\//);
    await page.getByRole("heading", { name: "Compare" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).fill("run of clerk");
    await page
      .getByRole("option", { name: /^Run of clerk/ })
      .first()
      .click();
    await page.waitForURL(/\/runs\//);
  }, 60_000);

  it.each([
    { name: "a phone in the dark", options: PHONE },
    { name: "a wide screen in the light", options: { reducedMotion: "reduce" } as const },
  ])(
    "has no accessibility violation in workflows, dialogs and tabs on $name",
    async ({ options }) => {
      const page = await openScreen(opened, "/", { ...options, expected: /status of (404|409)/ });
      const violations: string[] = [];
      const scan = async (where: string): Promise<void> => {
        const { violations: found } = await new AxeBuilder({ page }).analyze();
        for (const { id, nodes } of found)
          violations.push(`${where}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`);
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
          violations.push(`${where} is wider than the screen`);
      };
      const visit = async (path: string): Promise<void> => {
        await page.goto(opened.url + path);
        await page.locator("#main :is(h1, h2)").first().waitFor({ state: "attached" });
        await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      };
      const scanTabs = async (where: string): Promise<void> => {
        for (const tab of await page.getByRole("tab").all()) {
          await tab.click();
          await scan(`${where}, ${await tab.textContent()}`);
        }
      };
      const isPhone = "viewport" in options;
      await visit("/workflows/flow");
      await scan("a workflow");
      await visit(`/workflow-runs/${flow}?node=double`);
      await scan("a run of a workflow");
      await scanTabs("a node");
      await visit("/threads/one");
      if (isPhone) {
        await page.getByRole("button", { name: "Threads" }).click();
        await page.getByRole("dialog", { name: "Threads" }).waitFor();
        await scan("threads");
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "More" }).click();
        await page.getByRole("dialog", { name: "More" }).waitFor();
        await scan("more");
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Open the inspector" }).click();
        await page.getByRole("dialog", { name: "Inspector" }).waitFor();
      }
      await scanTabs("a thread");
      await visit(`/runs/${first}`);
      await page.getByRole("button", { name: "Re-run", exact: true }).click();
      await page.getByRole("dialog", { name: "Re-run from here" }).waitFor();
      await scan("re-run");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Delete the thread" }).click();
      await page.getByRole("dialog").waitFor();
      await scan("delete");
      await page.keyboard.press("Escape");
      await page
        .getByRole("button", { name: /^Step 1 · / })
        .first()
        .click();
      await page.getByRole("region", { name: "Details of Step 1" }).waitFor();
      await scan("a step");
      await visit("/threads/asking");
      await page.getByRole("button", { name: "Add a reason" }).click();
      await scan("a question");
      await page.locator("#main").focus();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keys" }).waitFor();
      await scan("keys");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+k");
      await page.getByRole("listbox", { name: "Found" }).getByRole("option").first().waitFor();
      await scan("the palette");
      expect(violations).toEqual([]);
    },
    300_000,
  );
});
