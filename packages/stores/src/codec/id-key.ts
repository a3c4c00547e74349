import { escapeText } from "./escape-text.ts";
import { hashText } from "./hash-text.ts";

/** Longer ids would make index rows that some databases refuse. */
const LONGEST = 200;

/** An id as it stands in the table of a thread's ids, where it is only ever looked for. */
export function idKey(id: string): string {
  const escaped = escapeText(id);
  return escaped.length <= LONGEST ? escaped : `sha256:${hashText(escaped)}`;
}

/** A call's id is unique in its run. Ids of runs have no slash. */
export function callIdKey({ run_id, call_id }: { readonly run_id: string; readonly call_id: string }): string {
  return idKey(`${run_id}/${call_id}`);
}
