import { type Clock, type Log, RepriseError, toRepriseError } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { listWorkflows } from "../workflow/find-workflow.ts";
import { type CronTimes, cronTimes } from "./cron-times.ts";
import { dueTimes } from "./due-times.ts";

/** What schedules work with. */
export interface SchedulesOptions {
  readonly runtime: Pick<TenantRuntime, "agents" | "documents" | "now" | "submit">;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
  /** Times that were missed fire one by one within this window; 60,000 unless given. */
  readonly windowMs?: number;
}

/** The schedules of a runtime's workflows, as long as they are open. */
export interface Schedules {
  close(): void;
}

/** A document that remembers how far a schedule is, for all processes. */
const KIND = "schedule";

/** How often at least the workflows are looked at: they may be changed while the process runs. */
const RECHECK_MS = 30_000;
/** After a failure of the store. */
const RETRY_MS = 1_000;
const WINDOW_MS = 60_000;

interface Position {
  readonly cron: string;
  readonly timezone: string;
  readonly last: number;
}

interface Scheduled {
  readonly id: string;
  readonly cron: string;
  readonly timezone: string;
  readonly inputs: Json;
  readonly times: CronTimes;
}

/**
 * Starts runs of the workflows that have a schedule. Any number of processes may do so: a time is a run's dedupe key, and its run is on a
 * thread that the time names, so that the store accepts it once.
 */
export function openSchedules(options: SchedulesOptions): Schedules {
  const closed = new AbortController();
  const schedules = new OpenSchedules(options);
  void schedules.work(closed.signal);
  return { close: () => closed.abort() };
}

class OpenSchedules {
  readonly #options: SchedulesOptions;
  /** Expressions that were read, and those that could not be. */
  readonly #read = new Map<string, CronTimes | undefined>();

  constructor(options: SchedulesOptions) {
    this.#options = options;
  }

  async work(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      const pause = await this.#fireDue(signal);
      // Rejects when it is aborted, which is the end.
      await clock.sleep(pause, signal, { background: true }).catch(() => undefined);
    }
  }

  /** Fires what is due; returns for how long there is nothing to do. */
  async #fireDue(signal: AbortSignal): Promise<number> {
    const { runtime, log } = this.#options;
    let pause = RECHECK_MS;
    for (const scheduled of this.#scheduled()) {
      if (signal.aborted) break;
      try {
        await this.#fire(scheduled);
      } catch (error) {
        // Whatever was not stored is due again.
        log("warn", "a schedule could not be fired", {
          workflow: scheduled.id,
          problem: toRepriseError(error).message,
        });
        pause = Math.min(pause, RETRY_MS);
      }
      const now = runtime.now();
      const next = scheduled.times.next(now);
      if (next !== undefined) pause = Math.min(pause, next - now);
    }
    return pause;
  }

  #scheduled(): readonly Scheduled[] {
    return listWorkflows(this.#options.runtime).flatMap(({ info: { id }, document }) => {
      const { trigger } = document.workflow;
      if (trigger?.type !== "schedule") return [];
      const { cron, timezone = "UTC", inputs = {} } = trigger;
      const times = this.#timesOf(id, cron, timezone);
      return times === undefined ? [] : [{ id, cron, timezone, inputs, times }];
    });
  }

  #timesOf(id: string, cron: string, timezone: string): CronTimes | undefined {
    const key = JSON.stringify([cron, timezone]);
    if (!this.#read.has(key)) {
      try {
        this.#read.set(key, cronTimes(cron, timezone));
      } catch (error) {
        this.#read.set(key, undefined);
        const problem = error instanceof Error ? error.message : String(error);
        this.#options.log("error", "a workflow has no valid schedule", { workflow: id, cron, timezone, problem });
      }
    }
    return this.#read.get(key);
  }

  async #fire({ id, cron, timezone, inputs, times }: Scheduled): Promise<void> {
    const { runtime, windowMs = WINDOW_MS } = this.#options;
    const stored = await runtime.documents.loadDocument(KIND, id);
    // Written here alone.
    const position = stored?.body as unknown as Position | undefined;
    const now = runtime.now();
    const revision = stored?.revision ?? 0;
    const save = (last: number) =>
      runtime.documents.saveDocument({ kind: KIND, id, body: { cron, timezone, last } }, revision);
    // A schedule begins when it is first seen, and anew when it was changed: nothing is owed for the time before.
    if (position === undefined || position.cron !== cron || position.timezone !== timezone) {
      await save(now);
      return;
    }
    const due = dueTimes(times, { last: position.last, now, windowMs });
    for (const time of due) await this.#start(id, time, inputs);
    const last = due.at(-1);
    // When another process was faster, it fired the same times.
    if (last !== undefined) await save(last);
  }

  async #start(workflow: string, time: number, inputs: Json): Promise<void> {
    const at = new Date(time).toISOString();
    const key = `schedule:${workflow}:${at}`;
    try {
      await this.#options.runtime.submit({
        agent_id: workflow,
        thread_id: key,
        dedupe_key: key,
        messages: [{ role: "user", content: JSON.stringify({ inputs }) }],
        origin: "schedule",
        metadata: { scheduled_at: at },
      });
    } catch (error) {
      // Another process, with other inputs in its document, was faster.
      if (!RepriseError.is(error, "RUN_EXISTS")) throw error;
    }
  }
}
