import type { Message } from "../api/types.ts";

/** What a run said and asked for in one step. */
export interface ComparedStep {
  readonly text: string;
  readonly calls: readonly { readonly tool: string; readonly arguments: unknown; readonly result: unknown }[];
}

/** A row of a comparison: a step of each run, as far as each has it. */
export interface AlignedStep {
  readonly left: ComparedStep | undefined;
  readonly right: ComparedStep | undefined;
  readonly isSame: boolean;
}

/** Puts the steps of two runs beside each other, by their order. */
export function alignRuns(left: readonly Message[], right: readonly Message[]): readonly AlignedStep[] {
  const [one, other] = [stepsOf(left), stepsOf(right)];
  return Array.from({ length: Math.max(one.length, other.length) }, (_, index) => {
    const [mine, theirs] = [one[index], other[index]];
    return { left: mine, right: theirs, isSame: JSON.stringify(mine) === JSON.stringify(theirs) };
  });
}

/** The steps of a run, from its messages: each assistant message begins one. */
function stepsOf(messages: readonly Message[]): readonly ComparedStep[] {
  const results = new Map(
    messages.flatMap((message) => (message.role === "tool" ? [[message.tool_call_id, resultOf(message)]] : [])),
  );
  return messages
    .filter(({ role }) => role === "assistant")
    .map((message) => ({
      text: textOf(message),
      calls: (message.tool_calls ?? []).map(({ id, name, arguments: input }) => ({
        tool: name,
        arguments: input,
        result: results.get(id),
      })),
    }));
}

function textOf({ content }: Message): string {
  return typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

function resultOf(message: Message): unknown {
  const text = textOf(message);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
