import type { Page } from "playwright-core";
import { defineAgent, defineTool, type Runtime, scriptedModel, usd } from "reprise";
import { agentTools } from "reprise/plugins/agent-tools";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { call, say, threadOf, untilIdle } from "./support/chat-page.ts";
import { type OpenStudio, openScreen, openStudio } from "./support/open-studio.ts";

describeWithService("chromium", "more of the chat of the studio", ({ binary }) => {
  let opened: OpenStudio;
  /** Lets the agent below answer. */
  const held = Promise.withResolvers<void>();
  let isBroken = true;
  beforeAll(async () => {
    const look = defineTool({
      id: "look",
      description: "Looks something up.",
      class: "read_only",
      async execute() {
        await held.promise;
        return "found";
      },
    });
    const scout = defineAgent({
      id: "scout",
      name: "Scout",
      tools: [look],
      model: scriptedModel(({ messages }) =>
        messages.at(-1)?.role === "user" ? [{ text: "I go and look." }, { call: "look" }] : "The way is free.",
      ),
    });
    const talker = defineAgent({
      id: "talker",
      name: "Talker",
      plugins: [agentTools()],
      model: scriptedModel(({ messages }) => {
        const last = messages.findLast(({ visibility }) => visibility !== "internal");
        const said = textOf(last?.content);
        if (messages.some(({ role }) => role === "tool")) return "The scout is back.";
        if (said.includes("scout"))
          return [{ call: "agent_run", arguments: { agent_id: "scout", prompt: "Is the way free?" } }];
        if (said.includes("break") && isBroken) return [{ fail: "invalid_request" }];
        if (said.includes("think"))
          return [{ reasoning: "First I count the sheep." }, { text: "Three sheep." }, { usage: usage(100, 10) }];
        return [{ text: `You said: ${said}` }, { usage: usage(50, 5) }];
      }),
    });
    const thrifty = defineAgent({
      id: "thrifty",
      name: "Thrifty",
      model: "acme/reader",
      tools: [defineTool({ id: "read", description: "Reads.", execute: () => "It is long." })],
      budget: { limitMicrocents: usd(0.004), onExceeded: "pause" },
    });
    opened = await openStudio(binary, [talker, scout, thrifty], {
      providers: [
        {
          id: "acme",
          model: () =>
            scriptedModel(({ messages }) =>
              messages.at(-1)?.role === "user"
                ? [{ call: "read" }, { usage: usage(300, 20) }]
                : [{ text: "I read it all." }, { usage: usage(330, 10) }],
            ),
        },
      ],
      models: [
        {
          id: "acme/reader",
          provider: "acme",
          model: "reader",
          maxOutputTokens: 200,
          pricing: { inputPerMillion: 10, outputPerMillion: 10 },
        },
      ],
    });
  }, 90_000);
  afterAll(async () => {
    held.resolve();
    await opened.close();
  }, 60_000);

  const begin = async (agent: string, expected?: RegExp): Promise<Page> => {
    const page = await openScreen(opened, "/", expected === undefined ? {} : { expected });
    await page.getByRole("combobox", { name: "Agent" }).selectOption(agent);
    return page;
  };

  it("takes a message back and says something else instead, and the first answer stays in the history", async () => {
    const page = await begin("talker");
    await say(page, "one");
    await page.getByText("You said: one").waitFor();
    await untilIdle(page);
    await say(page, "two");
    await page.getByText("You said: two").waitFor();
    await untilIdle(page);
    await page.reload();
    await page.getByText("You said: one").waitFor();
    await page.locator(".said.user", { hasText: "one" }).hover();
    await page.getByRole("button", { name: "Edit and resend" }).first().click();
    await page.getByText("Sending takes back the message and everything after it").waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("three");
    await page.keyboard.press("Enter");
    await page.getByText("You said: three").waitFor();
    await untilIdle(page);
    await expect.poll(() => page.locator(".said.user").allTextContents()).toEqual(["three"]);
    // What was taken back is there at the versions that had it.
    await page.goto(`${page.url()}?at=2`);
    await page.getByText("You said: one").waitFor();
  }, 60_000);

  it("answers a failed message again without sending it twice", async () => {
    const page = await begin("talker");
    await say(page, "break");
    await page.locator(".failure").waitFor();
    isBroken = false;
    await page.locator(".failure").getByRole("button", { name: "Retry" }).click();
    await page.getByText("You said: break").waitFor();
    await untilIdle(page);
    expect(await page.locator(".said.user").allTextContents()).toEqual(["break"]);
    expect(await page.locator(".failure").count()).toBe(0);
    const { messages } = await opened.runtime.threads.messages(threadOf(page));
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  }, 60_000);

  it("folds what a model thought, also after a reload", async () => {
    const page = await begin("talker");
    await say(page, "think");
    await page.getByText("Three sheep.").waitFor();
    await untilIdle(page);
    const expectFolded = async (): Promise<void> => {
      const thought = page.getByText("First I count the sheep.");
      await page.getByText("Thinking", { exact: true }).waitFor();
      await expect.poll(() => thought.isVisible()).toBe(false);
      await page.getByText("Thinking", { exact: true }).click();
      await thought.waitFor();
    };
    await expectFolded();
    await page.reload();
    await page.getByText("Three sheep.").waitFor();
    await expectFolded();
  }, 60_000);

  it("shows in a card what another agent does for a call, while it does it and afterwards", async () => {
    const page = await begin("talker");
    await say(page, "send the scout");
    const card = call(page, "agent_run");
    const below = card.getByRole("group", { name: "What scout did" });
    await below.getByText("I go and look.").waitFor();
    await below.getByRole("article", { name: "Tool call look" }).getByText("running", { exact: true }).waitFor();
    expect(await page.getByText("The scout is back.").count()).toBe(0);
    const thread = threadOf(page);
    held.resolve();
    await page.getByText("The scout is back.").waitFor();
    await untilIdle(page);
    // The end of the run below is no reason to leave for its thread.
    expect(threadOf(page)).toBe(thread);
    await page.reload();
    await page.getByText("The scout is back.").waitFor();
    await card.getByText("works on it").click();
    await below.getByText("The way is free.").waitFor();
    await below.getByRole("article", { name: "Tool call look" }).getByText("done", { exact: true }).waitFor();
  }, 60_000);

  it("pauses at a spent budget, says so in money, and continues when the budget is raised in the conversation", async () => {
    const page = await begin("thrifty");
    await say(page, "read it");
    const question = call(page, "reprise/budget");
    await question
      .getByText(/^\$0\.0032 of \$0\.004 are spent or reserved, and the next model call may cost up to/)
      .waitFor();
    await question.getByRole("button", { name: "Set another limit…" }).click();
    await question.getByRole("textbox", { name: "New limit, in dollars" }).fill("0,5");
    await question.getByRole("button", { name: "Continue with this limit" }).click();
    await page.getByText("I read it all.").waitFor();
    await untilIdle(page);
    expect(await limitOf(opened.runtime, threadOf(page))).toBe(usd(0.5));
    // The same question again on another thread, and the other answer.
    await page.getByRole("button", { name: "New thread" }).click();
    await page.getByRole("combobox", { name: "Agent" }).selectOption("thrifty");
    await say(page, "read more");
    await question.getByRole("button", { name: "Stop the run" }).click();
    await page.getByText("Stopped by a rule: budget exceeded.").waitFor();
  }, 60_000);

  it("shows the cost and the events of the moment that the cursor is at", async () => {
    const page = await begin("talker");
    await say(page, "think");
    await page.getByText("Three sheep.").waitFor();
    await untilIdle(page);
    await say(page, "more");
    await page.getByText("You said: more").waitFor();
    await untilIdle(page);
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByRole("tab", { name: "Cost" }).click();
    await inspector.getByText("165 tokens", { exact: true }).waitFor();
    const { versions } = await opened.runtime.threads.changesets(threadOf(page)).then((all) => ({
      versions: all.filter(({ runs }) => runs.some(({ status }) => status === "done")).map(({ version }) => version),
    }));
    const [first = 0] = versions;
    await page.goto(`${page.url()}?at=${first}`);
    await page.getByRole("group", { name: "Earlier version" }).waitFor();
    await inspector.getByRole("tab", { name: "Cost" }).click();
    await inspector.getByText("110 tokens", { exact: true }).first().waitFor();
    expect(await inspector.getByText("165 tokens", { exact: true }).count()).toBe(0);
    // The first version of a run has a few of its events, and the later ones are dimmed.
    await page.goto(page.url().replace(/at=\d+/, "at=1"));
    await inspector.getByRole("tab", { name: "Events" }).click();
    const events = inspector.getByRole("region", { name: "Events" }).getByRole("listitem");
    await events.filter({ hasText: "run_finish" }).waitFor();
    const dimmed = await events.evaluateAll((items) => items.map((item) => item.classList.contains("later")));
    expect(dimmed[0]).toBe(false);
    expect(dimmed.at(-1)).toBe(true);
  }, 60_000);
});

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function usage(promptTokens: number, completionTokens: number) {
  return { promptTokens, completionTokens };
}

async function limitOf(runtime: Runtime, threadId: string): Promise<number | null | undefined> {
  const { items } = await runtime.runs({ threadId });
  return (await runtime.budgets.get(items[0]?.run_id ?? ""))?.limit_microcents;
}
