/** What a reader of a text knows beside it: values that the text therefore only points at. */
export interface CompactContext {
  /** Most ids in a run's rows begin with the run's id. */
  readonly run_id: string | null;
  /** Long texts that are stored elsewhere. */
  readonly texts: readonly string[];
}

const MARK = "~";
const SHORTEST_TEXT = 16;

/**
 * Writes JSON in which strings that the context holds are replaced by a mark: `~r` and the rest for one that begins with the
 * run's id, `~3` for the text number 3, and `~~` for a string that itself begins with the mark. Keys stay as they are.
 */
export function compactJson(value: unknown, { run_id, texts }: CompactContext): string {
  const numbers = new Map(texts.map((text, index) => [text, index]));
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "string") return part;
    if (part.startsWith(MARK)) return MARK + part;
    const number = part.length < SHORTEST_TEXT ? undefined : numbers.get(part);
    if (number !== undefined) return `${MARK}${number}`;
    return run_id !== null && part.startsWith(run_id) ? `${MARK}r${part.slice(run_id.length)}` : part;
  });
}

/** The value that was written. `parsed` is fresh from the parser: nobody else has it, so it is changed in place. */
export function expandJson(parsed: unknown, context: CompactContext): unknown {
  if (typeof parsed === "string") return expandString(parsed, context);
  if (Array.isArray(parsed)) {
    for (let index = 0; index < parsed.length; index += 1) parsed[index] = expandJson(parsed[index], context);
  } else if (typeof parsed === "object" && parsed !== null) {
    // The parser made every key an own property, `__proto__` too, so assigning never reaches a prototype.
    const record = parsed as Record<string, unknown>;
    for (const key of Object.keys(record)) record[key] = expandJson(record[key], context);
  }
  return parsed;
}

function expandString(text: string, { run_id, texts }: CompactContext): string {
  if (!text.startsWith(MARK)) return text;
  if (text[1] === MARK) return text.slice(1);
  if (text[1] === "r") return (run_id ?? "") + text.slice(2);
  return texts[Number(text.slice(1))] ?? "";
}
