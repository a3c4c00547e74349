/**
 * Keys of our own records, in the order of their codes. Part of the stored format: names are only ever added at the end.
 */
const NAMES: readonly string[] = [
  "type",
  "data",
  "step_id",
  "message_id",
  "id",
  "ops",
  "op",
  "path",
  "value",
  "timestamp_ms",
  "run_id",
  "thread_id",
  "agent_id",
  "origin",
  "status",
  "source_mailbox_entry_id",
  "input_tokens",
  "output_tokens",
  "steps",
  "base_version",
  "last_seq",
  "recoveries",
  "created_at",
  "updated_at",
  "termination_code",
  "termination_detail",
  "parent_run_id",
  "parent_thread_id",
  "resource_id",
  "definition",
  "policy",
  "metadata",
  "reasons",
  "supersedes",
  "actions",
  "runs",
  "calls",
  "consumed_decisions",
  "mailbox_effects",
  "blob_refs",
  "turns",
  "recordings",
  "wakes",
  "entry_id",
  "call_id",
  "tool_id",
  "tool_version",
  "provider_call_id",
  "arguments",
  "suspension",
  "binding_hash",
  "ticket",
  "expires_at",
  "result",
  "response",
  "termination",
  "outcome",
  "tool_name",
  "message",
  "duration_ms",
  "usage",
  "model",
  "source",
  "action",
  "into_run",
  "content",
  "suspended",
];

const CODES: ReadonlyMap<string, string> = new Map(NAMES.map((name, code) => [name, code.toString(36)]));

/**
 * Writes known keys of a JSON text as `$` and a code, and gives keys that begin with `$` another one. In JSON text a quote
 * that is not escaped, a name, a quote and a colon are always a key; where the quote is escaped, inside a longer key, the way
 * back undoes the same.
 */
export function shortenKeys(json: string): string {
  return json.replace(/"([a-z_]+|\$[^"\\]*)":/g, (match, name: string) => {
    if (name.startsWith("$")) return `"$${name}":`;
    const code = CODES.get(name);
    return code === undefined ? match : `"$${code}":`;
  });
}

export function restoreKeys(text: string): string {
  return text.replace(/"\$([^"\\]*)":/g, (match, code: string) => {
    if (code.startsWith("$")) return `"${code}":`;
    const name = NAMES[Number.parseInt(code, 36)];
    return name === undefined ? match : `"${name}":`;
  });
}
