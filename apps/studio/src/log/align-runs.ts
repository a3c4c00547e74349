import type { Message } from "../api/types.ts";
import { diffLines } from "../text/diff-lines.ts";

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

/**
 * Puts the steps of two runs beside each other: as many as possible beside an equal one, and what is between those by its order. A step
 * that only one run took stands alone, and what follows it still finds its pair.
 */
export function alignRuns(left: readonly Message[], right: readonly Message[]): readonly AlignedStep[] {
  const [one, other] = [stepsOf(left), stepsOf(right)];
  const rows: AlignedStep[] = [];
  let [mine, theirs]: [ComparedStep[], ComparedStep[]] = [[], []];
  const close = (): void => {
    for (let at = 0; at < Math.max(mine.length, theirs.length); at += 1)
      rows.push({ left: mine[at], right: theirs[at], isSame: false });
    [mine, theirs] = [[], []];
  };
  let [i, j] = [0, 0];
  for (const { kind } of diffLines(one.map(textWithoutIds), other.map(textWithoutIds))) {
    const [old, fresh] = [one[i], other[j]];
    if (kind === "removed" && old !== undefined) mine.push(old);
    if (kind === "added" && fresh !== undefined) theirs.push(fresh);
    if (kind === "same") {
      close();
      rows.push({ left: old, right: fresh, isSame: true });
    }
    if (kind !== "added") i += 1;
    if (kind !== "removed") j += 1;
  }
  close();
  return rows;
}

/** Ids are made anew in each run, and are no difference between two of them. */
const MADE = /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{24,64})(?:-[a-z]+\d+)*\b/gi;

/** A value as text in which every generated id is replaced by the number of its first appearance. */
export function textWithoutIds(value: unknown): string {
  const seen = new Map<string, string>();
  return (JSON.stringify(value) ?? "").replaceAll(MADE, (id) => {
    const name = seen.get(id) ?? `id-${seen.size + 1}`;
    seen.set(id, name);
    return name;
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
