import type { StoreSignal } from "@reprise/contracts";

/** Postgres takes payloads of less than 8000 bytes. */
const MAX_BYTES = 7_500;

const LETTERS: Readonly<Record<StoreSignal["kind"], string>> = { work: "w", inbox: "i", commit: "c" };

/** Signals as the payloads of notifications, as few as they fit into. Those that say the same are said once. */
export function encodeSignals(writer: string, signals: readonly StoreSignal[]): readonly string[] {
  const items = new Set(
    signals.map(({ tenant, thread_id, kind, run_id }) =>
      JSON.stringify([LETTERS[kind], tenant, thread_id, ...(run_id === undefined ? [] : [run_id])]),
    ),
  );
  const payloads: string[] = [];
  const head = `[${JSON.stringify(writer)}`;
  let payload = head;
  for (const item of items) {
    if (Buffer.byteLength(head) + Buffer.byteLength(item) > MAX_BYTES) continue;
    if (Buffer.byteLength(payload) + Buffer.byteLength(item) > MAX_BYTES) {
      payloads.push(`${payload}]`);
      payload = head;
    }
    payload += `,${item}`;
  }
  return payload === head ? payloads : [...payloads, `${payload}]`];
}

/** The signals of a payload; none of one that we wrote ourselves, and none of what is not ours at all. */
export function decodeSignals(ownWriter: string, payload: string): readonly StoreSignal[] {
  try {
    // Written by `encodeSignals`, or else what follows fails.
    const [writer, ...items] = JSON.parse(payload) as [string, ...[string, string, string, string?][]];
    if (writer === ownWriter) return [];
    return items.flatMap(([letter, tenant, thread_id, run_id]) => {
      const kind = KINDS.find((candidate) => LETTERS[candidate] === letter);
      return kind === undefined ? [] : [{ tenant, thread_id, kind, ...(run_id === undefined ? {} : { run_id }) }];
    });
  } catch {
    return [];
  }
}

const KINDS: readonly StoreSignal["kind"][] = ["work", "inbox", "commit"];
