import { hashText } from "../kernel/hash-text.ts";
import { escapeText } from "./escape-text.ts";

/** Longer ids would make index rows that some databases refuse. */
const LONGEST = 200;

/** An id as it stands in the table of a thread's ids, where it is only ever looked for. */
export function idKey(id: string): string {
  const escaped = escapeText(id);
  return escaped.length <= LONGEST ? escaped : `sha256:${hashText(escaped)}`;
}

/** A call's id is unique in its run, and most begin with the run's id, which is then not repeated. Ids of runs have no slashes. */
export function callIdKey({ run_id, call_id }: { readonly run_id: string; readonly call_id: string }): string {
  return idKey(call_id.startsWith(run_id) ? `${run_id}\\${call_id.slice(run_id.length)}` : `${run_id}/${call_id}`);
}
