import type { LanguageModel, Store } from "../../../packages/contracts/src/index.ts";
import type { Runtime } from "../../../packages/reprise/src/index.ts";
import { openRuntime, speechOf } from "./open-runtime.ts";
import { textOf } from "./workload.ts";

/** A runtime whose model says 1 kB to everything, something else each time. */
export async function openTalk(store: Store): Promise<Talk> {
  let said = 0;
  const model: LanguageModel = {
    id: "talk",
    async *stream() {
      said += 1;
      yield* speechOf(textOf(2 * said + 1));
    },
  };
  return new Talk(await openRuntime(store, model));
}

/** Turns on threads: 1 kB in, 1 kB out. */
export class Talk {
  readonly #runtime: Runtime;
  #turns = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** One turn; returns the thread, a new one when none was given. */
  async turn(threadId?: string): Promise<string> {
    this.#turns += 1;
    const place = threadId === undefined ? {} : { threadId };
    const run = await this.#runtime.start({ agent: "bench", input: textOf(2 * this.#turns), ...place });
    const outcome = await run.outcome();
    if (outcome.status !== "done") throw new Error(`The run ${run.id} is ${outcome.status}.`);
    return run.threadId;
  }

  async turns(count: number, threadId?: string): Promise<string> {
    let thread = threadId;
    for (let turn = 0; turn < count; turn++) thread = await this.turn(thread);
    return thread ?? "";
  }

  close(): Promise<void> {
    return this.#runtime.close();
  }
}
