import { type Env, type RepriseError, toRepriseError } from "@reprise/contracts";

/** A problem that stays is reported again after this. */
const REPORT_AGAIN_MS = 60_000;

/** Periodic work: a problem is logged, and the next round tries again. */
export class Housekeeping {
  readonly #env: Env;
  #reported: { readonly message: string; readonly at: number } | undefined;

  constructor(env: Env) {
    this.#env = env;
  }

  async every(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await this.#env.clock.sleep(ms, signal, { background: true }).catch(() => undefined);
      if (!signal.aborted) await this.attempt(work);
    }
  }

  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#report(toRepriseError(error));
    }
  }

  /** Says what is wrong, and not again with every try. */
  #report({ message }: RepriseError): void {
    const { clock, log } = this.#env;
    if (this.#reported?.message === message && clock.mono() - this.#reported.at < REPORT_AGAIN_MS) return;
    this.#reported = { message, at: clock.mono() };
    log("error", "the dispatcher met a problem", { problem: message });
  }
}
