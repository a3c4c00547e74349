import type { AgentEvent } from "@reprise/contracts";
import type { RunHandle } from "@reprise/runtime";
import { expect, it } from "vitest";
import { RUNS, readChunks, textIn, typesOf, uiSays } from "./support/ai-sdk-client.ts";
import { openDemo } from "./support/open-demo.ts";

const at = { run_id: "r1", thread_id: "t", timestamp_ms: 0 } as const;

/** A run whose owner died after a few words, and which another one began anew. */
const EVENTS: readonly AgentEvent[] = [
  { ...at, type: "run_start", seq: 1, data: {} },
  { ...at, type: "step_start", seq: 2, data: { message_id: "r1-s1-m" } },
  { ...at, type: "text_delta", seq: 3, data: { delta: "I am " } },
  { ...at, type: "stream_reset", data: { from_seq: 1 } },
  { ...at, type: "step_start", seq: 2, data: { message_id: "r1-s1-m" } },
  { ...at, type: "text_delta", seq: 3, data: { delta: "Hello." } },
  { ...at, type: "run_finish", seq: 4, data: { termination: { type: "natural_end" } } },
];

it("ends a response whose words are no longer true, without an end of the message", async () => {
  const { post, runtime } = await openDemo();
  const submit = runtime.submit.bind(runtime);
  runtime.submit = async (request) => {
    const rest = [...EVENTS];
    const take = () => {
      const event = rest.shift();
      return event === undefined ? undefined : { event, cursor: `r1:1:${event.seq ?? 1}` };
    };
    const events: ReturnType<RunHandle["eventsWithCursor"]> = {
      [Symbol.asyncIterator]: () => events,
      takeNow: take,
      next: async () => {
        const value = take();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
    };
    return { ...(await submit(request)), eventsWithCursor: () => events };
  };
  const { chunks, isWhole } = readChunks(await (await post(RUNS, uiSays("hello"))).text());
  expect([textIn(chunks), isWhole]).toEqual(["I am ", false]);
  expect(typesOf(chunks)).not.toContain("finish");
  expect(chunks.at(-1)).toEqual({ type: "data-stream-reset", data: { fromSeq: 1 }, transient: true });
});
