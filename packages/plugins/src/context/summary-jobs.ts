import type { PluginAnswer } from "@reprise/contracts";

/** How a summary stands, as a hook learns it. */
export type SummaryStatus =
  | { readonly status: "running" }
  | { readonly status: "done"; readonly text: string }
  | { readonly status: "failed"; readonly error: string }
  /** It was cancelled with its run, or this process does not know it: it was another one's, or the process was restarted. */
  | { readonly status: "lost" };

interface Job {
  readonly over: Promise<void>;
  status: SummaryStatus;
}

/** The limit for finished summaries that no run has taken, because work on their threads ended. */
const MOST_JOBS = 1_000;

/** The summaries that are made in this process, by the id of their compaction. */
export class SummaryJobs {
  readonly #jobs = new Map<string, Job>();

  /** @param signal of the run that asks: a summary that is cancelled with it was never begun. */
  start(id: string, answer: Promise<PluginAnswer>, signal: AbortSignal): void {
    const over = answer.then(
      ({ text }) => this.#end(id, { status: "done", text }),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.#end(id, signal.aborted ? { status: "lost" } : { status: "failed", error: message });
      },
    );
    this.#jobs.set(id, { over, status: { status: "running" } });
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size > MOST_JOBS && oldest !== undefined) this.#jobs.delete(oldest);
  }

  /** How a summary stands. One that is over is handed out once. */
  take(id: string): SummaryStatus {
    const { status } = this.#jobs.get(id) ?? { status: { status: "lost" } };
    if (status.status !== "running") this.#jobs.delete(id);
    return status;
  }

  /** The same, after waiting for the summary, though not for longer than this. */
  async wait(id: string, timeoutMs: number): Promise<SummaryStatus> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    await Promise.race([this.#jobs.get(id)?.over, promise]);
    clearTimeout(timer);
    return this.take(id);
  }

  #end(id: string, status: SummaryStatus): void {
    const job = this.#jobs.get(id);
    if (job !== undefined) job.status = status;
  }
}
