import type { AgentEvent, EventOf, EventType, Message } from "@reprise/contracts";
import type { Corpus } from "./corpus.ts";
import { streamedTexts } from "./make-messages.ts";

interface Place {
  readonly run_id: string;
  readonly thread_id: string;
}

type EventParts = { [Type in EventType]: Pick<EventOf<Type>, "type" | "data"> }[EventType];

/** The events that could have brought these messages, and others with unusual values. The first has `seq` `from`. */
export function makeEvents(
  corpus: Corpus,
  { run_id, thread_id }: Place,
  messages: readonly Message[],
  from: number,
): readonly AgentEvent[] {
  const parts = [...messages.flatMap((message) => streamed(corpus, message)), ...facts(corpus)];
  let time = 1_750_000_000_000;
  return parts.map((part, index): AgentEvent => {
    // Mostly small steps; now and then back, and in parts of a millisecond.
    time += corpus.pick([0, 1, 17, 17, 250, -5, 0.5]);
    const step = index % 3 === 0 ? {} : { step_id: `${run_id}-s${index % 5}` };
    // The parts of one type, put together again with the rest of their envelope.
    return { ...part, run_id, thread_id, seq: from + index, timestamp_ms: time, ...step } as AgentEvent;
  });
}

function streamed(corpus: Corpus, message: Message): readonly EventParts[] {
  const texts = streamedTexts(message).flatMap((text, index) =>
    corpus
      .cut(text)
      .map((delta): EventParts => ({ type: index === 0 ? "text_delta" : "reasoning_delta", data: { delta } })),
  );
  const calls = (message.tool_calls ?? []).flatMap(({ id, name, arguments: given }): EventParts[] => [
    { type: "tool_call_start", data: { id, name } },
    ...corpus
      .cut(JSON.stringify(given))
      .map((args_delta): EventParts => ({ type: "tool_call_delta", data: { id, args_delta } })),
    { type: "tool_call_ready", data: { id, name, arguments: given } },
  ]);
  return [...texts, ...calls];
}

function facts(corpus: Corpus): readonly EventParts[] {
  const result = {
    tool_name: "t",
    status: "success",
    data: corpus.json(),
    message: corpus.text(),
    metadata: corpus.record(),
  } as const;
  return [
    { type: "text_delta", data: { delta: corpus.text() } },
    { type: "reasoning_encrypted_value", data: { encrypted_value: corpus.text() } },
    { type: "tool_call_done", data: { id: "c", result, message_id: "m", outcome: "succeeded" } },
    { type: "tool_call_resumed", data: { target_id: corpus.text(), result: corpus.json() } },
    { type: "tool_call_cancelled", data: { id: "c", reason: corpus.text() } },
    { type: "state_delta", data: { delta: [{ op: "replace", path: corpus.text(), value: corpus.json() }] } },
    { type: "activity_snapshot", data: { message_id: "m", activity_type: corpus.text(), content: corpus.json() } },
    { type: "error", data: { message: corpus.text(), code: corpus.text() } },
    { type: "run_finish", data: { result: corpus.record(), termination: { type: "natural_end" } } },
  ];
}
