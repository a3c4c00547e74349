import { RepriseError } from "@reprise/contracts";
import { escapeText } from "../codec/escape-text.ts";
import type { Row } from "./table.ts";

/** The numbers of a thread and of runs, as far as they were stored before. */
export interface StoredNumbers {
  readonly threadKey: number | undefined;
  readonly runKeys: ReadonlyMap<string, number>;
}

/** Under which thread and run a plan files its rows: by number, or by id for what the same plan makes. */
export class Filing {
  readonly thread: Row & { readonly tenant: string };
  readonly #runKeys: ReadonlyMap<string, number>;
  readonly #written: ReadonlySet<string>;

  /** `runIds` are of the runs that the plan writes. */
  constructor(
    place: StoredNumbers & { readonly tenant: string; readonly thread_id: string },
    runIds: readonly string[],
  ) {
    const { tenant, thread_id, threadKey } = place;
    this.thread = { tenant, thread_id: threadKey === undefined ? thread_id : null, thread_key: threadKey ?? null };
    this.#runKeys = place.runKeys;
    this.#written = new Set(runIds);
  }

  run(runId: string): Row {
    const key = this.#runKeys.get(runId);
    return { of_run_id: key === undefined ? escapeText(runId) : null, run_key: key ?? null };
  }

  /** The number of a run that was stored before. */
  storedRun(runId: string): Row {
    const key = this.#runKeys.get(runId);
    if (key === undefined) throw new RepriseError("INTERNAL", `The run ${runId} was not read.`);
    return { run_key: key };
  }

  /** A changeset may be of no run, or of one that never began: then it has the id itself. */
  runOfChangeset(runId: string | null): Row {
    if (runId === null) return { of_run_id: null, run_key: null, run_id: null };
    const hasRow = this.#runKeys.has(runId) || this.#written.has(runId);
    return hasRow
      ? { ...this.run(runId), run_id: null }
      : { of_run_id: null, run_key: null, run_id: escapeText(runId) };
  }
}
