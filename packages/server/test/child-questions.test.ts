import { awaitRun, type NewChildRun } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { type Agent, defineAgent, defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { type Chunk, readChunks, uiSays } from "./support/ai-sdk-client.ts";
import { type OpenDemo, openDemo } from "./support/open-demo.ts";

const delegate = defineTool({
  id: "delegate",
  description: "Has another agent work.",
  inputSchema: { type: "object", additionalProperties: true },
  class: "read_only",
  execute: async (child: NewChildRun, { runs }) => awaitRun(await runs.start(child)),
});

const pay = defineTool({
  id: "pay",
  description: "Pays.",
  inputSchema: { type: "object", additionalProperties: true },
  needsApproval: true,
  execute: () => "paid",
});

/** One agent that has two others work at the same time, each of which needs a yes. */
function team(): readonly Agent[] {
  const calls = ["a", "b"].map((key) => ({ call: "delegate", arguments: { agentId: "clerk", prompt: key, key } }));
  const boss = scriptedModel(({ messages }) => (messages.length === 1 ? calls : "thanks"));
  const clerk = scriptedModel(({ messages }) => (messages.length === 1 ? [{ call: "pay", arguments: {} }] : "done"));
  return [
    defineAgent({ id: "boss", model: boss, tools: [delegate] }),
    defineAgent({ id: "clerk", model: clerk, tools: [pay] }),
  ];
}

const RUNS = "/v1/ai-sdk/agents/boss/runs";

async function send({ post }: Pick<OpenDemo, "post">, body: object) {
  const response = await post(RUNS, body);
  const text = await response.text();
  expect([response.status, text.slice(0, 200)]).toEqual([200, expect.anything()]);
  return readChunks(text);
}

/** What a page sends once its user answered one of the questions of its message. */
function answers(messageId: string, { approvalId, toolCallId, approvalDescriptor }: Chunk, approved: boolean): object {
  const approval = { id: approvalId, approved, descriptor: approvalDescriptor };
  const part = { type: "dynamic-tool", toolName: "pay", toolCallId, input: {}, approval, state: "approval-responded" };
  const user = { id: "u1", role: "user", parts: [{ type: "text", text: "go" }] };
  const message = { id: messageId, role: "assistant", parts: [part] };
  return { id: "t", messages: [user, message], trigger: "submit-message", messageId };
}

const ofType = (chunks: readonly Chunk[], type: string) => chunks.filter((chunk) => chunk.type === type);

describe("a page of the AI SDK that follows a run", () => {
  it("is asked the questions of the runs below, and decides each by itself, the later one first", async () => {
    const demo = await openDemo({ agents: team() });
    const first = await send(demo, { ...uiSays("go"), runId: "r" });
    const asked = ofType(first.chunks, "tool-approval-request");
    expect([asked.length, first.isWhole, first.chunks.at(-1)?.type]).toEqual([2, true, "finish"]);
    // In a step of their own: the calls that wait for the runs are in the one before.
    const types = first.chunks.map(({ type }) => type);
    const lastStep = types.slice(types.lastIndexOf("start-step"));
    expect(lastStep.filter((type) => type === "tool-input-available")).toHaveLength(2);
    const messageId = String(ofType(first.chunks, "start")[0]?.messageId);

    const [one = { type: "" }, two = { type: "" }] = asked;
    const second = await send(demo, answers(messageId, two, true));
    expect(ofType(second.chunks, "start")).toMatchObject([{ messageId }]);
    const results = ofType(second.chunks, "tool-output-available").map(({ toolCallId }) => toolCallId);
    // The call that was approved, and the one that waited for its run.
    expect(results).toEqual([two.toolCallId, expect.stringMatching(/^r-s1-c/)]);
    expect([second.isWhole, ofType(second.chunks, "tool-approval-request").length]).toEqual([true, 0]);

    const third = await send(demo, answers(messageId, one, false));
    expect(ofType(third.chunks, "tool-output-denied")).toMatchObject([{ toolCallId: one.toolCallId }]);
    expect(
      ofType(third.chunks, "text-delta")
        .map(({ delta }) => delta)
        .join(""),
    ).toBe("thanks");
    expect(third.isWhole).toBe(true);
  });

  it("gets what the runs below say as data parts with their lineage, and how they stand as one part a run", async () => {
    const demo = await openDemo({ agents: team() });
    const { chunks } = await send(demo, { ...uiSays("go"), runId: "r" });
    const nested = ofType(chunks, "data-child").map(({ data }) => data as Readonly<Record<string, unknown>>);
    expect(nested[0]).toMatchObject({ parentRunId: "r", agentId: "clerk", depth: 1, chunk: { type: "start" } });
    const standing = ofType(chunks, "data-child-run");
    expect(new Set(standing.map(({ id }) => id)).size).toBe(2);
    expect(standing.at(-1)?.data).toMatchObject({ status: "waiting", parentRunId: "r", agentId: "clerk", step: 1 });
  });

  it("finds the questions of the runs below in the history when it is opened anew", async () => {
    const demo = await openDemo({ agents: team() });
    await send(demo, { ...uiSays("go"), runId: "r" });
    const { messages } = await (await demo.ask("/v1/ai-sdk/threads/t/messages")).json();
    const parts: readonly Chunk[] = messages.at(-1).parts;
    expect(parts.filter(({ state }) => state === "approval-requested")).toHaveLength(2);
    expect(messages).toHaveLength(2);
  });
});

describe("the list of open decisions", () => {
  it("has the questions of the runs below and counts nothing that waits for a run", async () => {
    const demo = await openDemo({ agents: team() });
    await send(demo, { ...uiSays("go"), runId: "r" });
    const page = await (await demo.ask("/v1/decisions")).json();
    expect(page).toMatchObject({ total: 2, has_more: false, items: [{ tool_id: "pay" }, { tool_id: "pay" }] });
    const cut = await (await demo.ask("/v1/decisions?limit=1&offset=1")).json();
    expect(cut).toMatchObject({ total: 2, has_more: false, items: [{ tool_id: "pay" }] });
  });
});
