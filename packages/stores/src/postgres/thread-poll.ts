import type { StoreSignal } from "@reprise/contracts";
import { unescapeText } from "../codec/escape-text.ts";
import type { Ask } from "./select-commits.ts";
import { rowsOf } from "./session.ts";
import { prepared } from "./statement.ts";

interface LiveThread {
  readonly tenant: string;
  readonly thread_id: string;
  readonly version: number;
  readonly arrivals: number;
  readonly open_run_id: string | null;
  readonly claim_owner: string | null;
}

/** Every thread that has work or is being worked on, the most urgent first. */
const SELECT_LIVE = prepared(
  `select tenant, thread_id, version, arrivals, open_run_id, claim_owner from threads
   where work_at is not null order by work_rank, work_at limit 5000`,
);

/** Finds changes by polling when no notification arrives: compares live threads with their previous versions. */
export class ThreadPoll {
  readonly #ask: Ask;
  #seen: ReadonlyMap<string, LiveThread> | undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** What happened since the last look, as far as it shows. At the first look anything may have. */
  async look(): Promise<readonly StoreSignal[]> {
    const rows = rowsOf<LiveThread>(await this.#ask([SELECT_LIVE()]));
    const before = this.#seen;
    const now = new Map(rows.map((row) => [JSON.stringify([row.tenant, row.thread_id]), row]));
    this.#seen = now;
    const gone = [...(before ?? [])].filter(([key]) => !now.has(key)).map(([, row]) => signal(row, "commit"));
    return [...gone, ...[...now].flatMap(([key, row]) => changes(row, before?.get(key)))];
  }
}

function changes(row: LiveThread, before: LiveThread | undefined): readonly StoreSignal[] {
  const hasMail = before?.arrivals !== row.arrivals;
  const isFreed = row.claim_owner === null && (hasMail || before?.claim_owner !== null);
  return [
    ...(before?.version === row.version ? [] : [signal(row, "commit")]),
    ...(hasMail ? [signal(row, "inbox")] : []),
    ...(isFreed ? [signal(row, "work")] : []),
  ];
}

function signal({ tenant, thread_id, open_run_id }: LiveThread, kind: StoreSignal["kind"]): StoreSignal {
  const hasRun = kind !== "work" && open_run_id !== null;
  return { tenant, thread_id, kind, ...(hasRun ? { run_id: unescapeText(open_run_id) } : {}) };
}
