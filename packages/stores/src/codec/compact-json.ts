import { restoreName, shortenNames } from "./short-names.ts";
import { parseText, type TextKind } from "./stored-text.ts";

/** What a reader of a text knows beside it: values that the text therefore only points at. */
export interface CompactContext {
  /** Most ids in a run's rows begin with the run's id. */
  readonly run_id: string | null;
  readonly thread_id?: string;
  /** Long texts that are stored elsewhere. */
  readonly texts: readonly string[];
}

const SHORTEST_TEXT = 16;
const SHORTEST_ID = 4;

/**
 * Writes JSON in which strings that the context holds are replaced by a mark: `~3` for the text number 3, `~r` and the rest for
 * one that begins with the run's id, `~t` with the thread's, and `~~` for one that itself begins with the mark.
 *
 * All of it is done to the text of the JSON, behind a quote, and undone to it: whether the quote begins a string, a key or is a
 * part of one does not matter, as long as both ways do the same.
 */
export function compactJson(value: unknown, { run_id, thread_id, texts }: CompactContext): string {
  let json = JSON.stringify(value).replaceAll('"~', '"~~');
  for (const [index, text] of texts.entries()) {
    if (text.length >= SHORTEST_TEXT && text.length < json.length) json = replace(json, quote(text), `"~${index}"`);
  }
  json = replace(json, beginOf(run_id), '"~r');
  return shortenNames(replace(json, beginOf(thread_id), '"~t'));
}

/** The value that was written. */
export function expandJson(kind: TextKind, compact: string, { run_id, thread_id, texts }: CompactContext): unknown {
  // Nothing of it is in most messages, and they are long.
  if (!compact.includes('"$') && !compact.includes('"~')) return parseText(kind, compact);
  const [run, thread] = [begin(run_id ?? ""), begin(thread_id ?? "")];
  const json = compact.replace(/"[$~][^"]*/g, (part) => {
    if (part[1] === "$") return restoreName(part);
    switch (part[2]) {
      case "~":
        return `"${part.slice(2)}`;
      case "r":
        return run + part.slice(3);
      case "t":
        return thread + part.slice(3);
      default:
        return begin(texts[Number(part.slice(2))] ?? "");
    }
  });
  return parseText(kind, json);
}

/** How a string begins that begins with an id. Empty when there is no id to speak of, or one that looks like a mark. */
function beginOf(id: string | null | undefined): string {
  return id == null || id.length < SHORTEST_ID || id.startsWith("~") ? "" : begin(id);
}

function begin(text: string): string {
  return quote(text).slice(0, -1);
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function replace(json: string, searched: string, mark: string): string {
  return searched === "" ? json : json.replaceAll(searched, mark);
}
