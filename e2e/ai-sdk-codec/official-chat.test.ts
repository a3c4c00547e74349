import { encodeAiSdkHistory } from "@reprise/protocols/ai-sdk";
import { createRuntime, defineAgent, defineTool, memory, type Runtime, scriptedModel, suspendTool } from "reprise";
import type { Script } from "reprise/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { ClientMessage } from "./support/client.ts";
import { comparable } from "./support/comparable-parts.ts";
import { loadClients } from "./support/load-clients.ts";
import { openPage } from "./support/open-page.ts";
import { serveRuntime } from "./support/serve-runtime.ts";

const clients = await loadClients();

const wire = defineTool({
  id: "wire",
  description: "Sends money.",
  needsApproval: true,
  inputSchema: z.object({ to: z.string() }),
  execute: ({ to }) => ({ sent: to }),
});

const locate = defineTool({
  id: "locate",
  description: "Asks the browser where the user is.",
  execute: () => suspendTool({ action: "tool:locate", resumeMode: "use_decision_as_tool_result" }),
});

async function open(script: Script): Promise<Runtime> {
  const agent = defineAgent({ id: "agent", model: scriptedModel(script), tools: [wire, locate] });
  const runtime = await createRuntime({ agents: [agent], store: memory() });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** What a page that is loaded now would start with. */
async function historyOf(runtime: Runtime): Promise<readonly ClientMessage[]> {
  const { messages } = await runtime.threads.messages("thread-1", { limit: 200 });
  const calls = (await runtime.calls({ threadId: "thread-1" })).items;
  // A message of ours is one of the client's; it has fewer kinds of parts.
  return encodeAiSdkHistory({ thread_id: "thread-1", messages, calls }) as readonly ClientMessage[];
}

const openQuestions = (message: ClientMessage | undefined): readonly string[] =>
  (message?.parts ?? []).flatMap(({ state, approval }) =>
    state === "approval-requested" ? [(approval as { readonly id: string }).id] : [],
  );

const TWO_CALLS: Script = [
  [{ text: "May I?" }, { call: "wire", arguments: { to: "Ada" } }, { call: "wire", arguments: { to: "Bob" } }],
  "It is settled.",
];

describe.each(clients)("the chat of $name over a runtime", (client) => {
  it("asks about two calls, has one approved and one denied, and continues in the same message", async () => {
    const runtime = await open(TWO_CALLS);
    const page = openPage(client, serveRuntime(runtime));
    await page.chat.sendMessage({ text: "Pay them." });
    await page.ready();
    const [ada = "", bob = ""] = openQuestions(page.chat.messages.at(-1));
    await page.chat.addToolApprovalResponse({ id: ada, approved: true });
    await page.chat.addToolApprovalResponse({ id: bob, approved: false, reason: "Not him." });
    await page.ready();

    expect(page.errors).toEqual([]);
    expect(page.chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    const shown = comparable(page.chat.messages[1]);
    expect(shown.steps[0]?.tools).toMatchObject([
      { state: "output-available", data: { sent: "Ada" } },
      { state: "output-denied" },
    ]);
    expect(shown.steps[1]?.text).toBe("It is settled.");
    expect((await historyOf(runtime)).map(comparable)).toEqual(page.chat.messages.map(comparable));
  });

  it("does a call of the browser and continues with what it came to", async () => {
    const runtime = await open([[{ call: "locate" }], "You are in Oslo."]);
    const page = openPage(client, serveRuntime(runtime));
    await page.chat.sendMessage({ text: "Where am I?" });
    await page.ready();
    const call = page.chat.messages.at(-1)?.parts.find(({ type }) => type === "tool-locate");
    expect(call?.state).toBe("input-available");
    await page.chat.addToolOutput({ tool: "locate", toolCallId: String(call?.toolCallId), output: { city: "Oslo" } });
    await page.ready();
    expect(page.errors).toEqual([]);
    expect(comparable(page.chat.messages.at(-1)).steps).toMatchObject([
      { tools: [{ state: "output-available", data: { city: "Oslo" } }] },
      { text: "You are in Oslo." },
    ]);
  });

  it("decides on a page that was loaded anew, and shows the same as one that was there all the time", async () => {
    const runtime = await open(TWO_CALLS);
    const answer = serveRuntime(runtime);
    const first = openPage(client, answer);
    await first.chat.sendMessage({ text: "Pay them." });
    await first.ready();

    const second = openPage(client, answer, await historyOf(runtime));
    expect(second.chat.messages.map(comparable)).toEqual(first.chat.messages.map(comparable));
    for (const id of openQuestions(second.chat.messages.at(-1)))
      await second.chat.addToolApprovalResponse({ id, approved: true });
    await second.ready();
    await first.chat.resumeStream();
    await first.ready();
    expect([...first.errors, ...second.errors]).toEqual([]);
    expect(comparable(second.chat.messages.at(-1)).steps[1]?.text).toBe("It is settled.");
    expect(first.chat.messages.map(comparable)).toEqual(second.chat.messages.map(comparable));
  });

  it("shows an error once, with what was said before it", async () => {
    const runtime = await open([[{ text: "I am " }, { fail: "auth" }]]);
    const page = openPage(client, serveRuntime(runtime));
    await page.chat.sendMessage({ text: "Who are you?" });
    await page.ready();
    expect(page.errors).toEqual([expect.stringContaining("The model failed")]);
    expect(comparable(page.chat.messages.at(-1)).steps[0]?.text).toBe("I am ");
  });
});
