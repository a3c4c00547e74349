import type { AgentEvent } from "@reprise/contracts";
import type { EventsOptions, RunHandle } from "@reprise/runtime";

/** Lets everything run that waits for nothing but its turn. */
export async function settle(rounds = 20): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits, turn by turn, until something is true; gives up after many turns. */
export async function until(isTrue: () => boolean | Promise<boolean>, what = "it"): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1) {
    if (await isTrue()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`Waited for ${what} in vain.`);
}

/** The value of a promise that must not need any time; an error when it is still open after many turns. */
export async function soon<Value>(promise: Promise<Value>, what = "the promise"): Promise<Value> {
  let isSettled = false;
  promise.then(
    () => {
      isSettled = true;
    },
    () => {
      isSettled = true;
    },
  );
  await until(() => isSettled, what);
  return promise;
}

/** All events of a reading that ends. */
export async function collect(run: RunHandle, options?: EventsOptions): Promise<readonly AgentEvent[]> {
  return soon(Array.fromAsync(run.events(options)), "the end of the events");
}

export function typesOf(events: readonly AgentEvent[]): readonly string[] {
  return events.map(({ type }) => type);
}

/** A promise with its ends outside. */
export function gate<Value = void>(): { promise: Promise<Value>; open: (value: Value) => void } {
  const { promise, resolve } = Promise.withResolvers<Value>();
  return { promise, open: resolve };
}
