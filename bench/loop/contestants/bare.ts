import type { LanguageModel, Message, ModelChunk } from "../../../packages/contracts/src/index.ts";
import { type Contestant, type RunReport, statelessRunner } from "../contestant.ts";
import { instantModel } from "../models/reprise-model.ts";
import { INSTRUCTIONS, lookUp, QUESTION, TOOL_NAME } from "../workload.ts";

export const BARE = "bare generator";
export const BARE_APPENDS = "bare generator + 4 appends";

interface BareEvent {
  readonly type: string;
  readonly run_id: string;
  readonly seq: number;
  readonly timestamp_ms: number;
  readonly data: object;
}

type Keep = (events: readonly BareEvent[]) => void;

/**
 * The least that is still a loop: the model is asked, its call is parsed and made, and it is asked again; every chunk
 * becomes an event in an envelope. The same model and as many events as ours; nothing is checked, timed or stored.
 */
async function* bareLoop(model: LanguageModel, runId: string, keep: Keep): AsyncGenerator<BareEvent> {
  let seq = 0;
  let uncommitted: BareEvent[] = [];
  const event = (type: string, data: object): BareEvent => {
    const made = { type, run_id: runId, seq: ++seq, timestamp_ms: Date.now(), data };
    uncommitted.push(made);
    return made;
  };
  const commit = (): void => {
    keep(uncommitted);
    uncommitted = [];
  };
  const messages: Message[] = [{ id: "u0", role: "user", content: QUESTION }];
  const signal = new AbortController().signal;
  yield event("run_start", {});
  commit();
  for (;;) {
    yield event("step_start", {});
    let call: Extract<ModelChunk, { type: "tool_call_ready" }> | undefined;
    let text = "";
    for await (const chunk of model.stream({ system: INSTRUCTIONS, messages, tools: [], options: {}, signal })) {
      if (chunk.type === "finish") break;
      if (chunk.type === "text_delta") text += chunk.delta;
      if (chunk.type === "tool_call_ready") call = chunk;
      yield event(chunk.type, chunk);
    }
    messages.push({ id: `m${seq}`, role: "assistant", content: text });
    yield event("inference_complete", {});
    yield event("step_end", {});
    if (call === undefined) {
      yield event("run_finish", { result: text });
      return commit();
    }
    commit();
    const result = await lookUp(JSON.parse(call.arguments));
    messages.push({ id: `r${seq}`, role: "tool", content: JSON.stringify(result), tool_call_id: call.id });
    yield event("tool_call_done", { name: TOOL_NAME, result });
    commit();
  }
}

async function consume(events: AsyncIterable<BareEvent>): Promise<RunReport> {
  let text = "";
  let count = 0;
  for await (const { type, data } of events) {
    count += 1;
    if (type === "text_delta" && "delta" in data) text += data.delta;
  }
  return { text, events: count };
}

let runs = 0;

export const bare: Contestant = {
  name: BARE,
  note: "an async generator over the same model; as many events, the tool called, nothing checked or stored",
  open: async () => statelessRunner(() => consume(bareLoop(instantModel, `run-${runs++}`, () => undefined))),
};

export const bareAppends: Contestant = {
  name: BARE_APPENDS,
  note: "the same, and four times a run its new events are copied into a list under the run's id",
  open: async () => {
    const journal = new Map<string, (readonly BareEvent[])[]>();
    return statelessRunner(() => {
      const runId = `run-${runs++}`;
      const segments: (readonly BareEvent[])[] = [];
      journal.set(runId, segments);
      return consume(bareLoop(instantModel, runId, (events) => segments.push(structuredCopy(events))));
    });
  },
};

function structuredCopy(events: readonly BareEvent[]): readonly BareEvent[] {
  return events.map((event) => ({ ...event }));
}
