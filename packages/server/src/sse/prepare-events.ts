import type { EventIterator } from "@reprise/runtime";
import type { CursoredEvent } from "./encode-frame.ts";

/**
 * The same events, some of them prepared before they are handed out. `prepare` is asked about each event once, in order; undefined lets the
 * event pass at once.
 */
export function prepareEvents(
  events: EventIterator<CursoredEvent>,
  prepare: (item: CursoredEvent) => Promise<CursoredEvent> | undefined,
): EventIterator<CursoredEvent> {
  /** An event that was taken and is being prepared. */
  let held: Promise<CursoredEvent> | undefined;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const waiting = held;
      held = undefined;
      if (waiting !== undefined) return { done: false, value: await waiting };
      const next = await events.next();
      return next.done === true ? next : { done: false, value: await (prepare(next.value) ?? next.value) };
    },
    takeNow() {
      if (held !== undefined) return undefined;
      const taken = events.takeNow();
      if (taken === undefined) return undefined;
      held = prepare(taken);
      // The next reader gets the failure; until then it is no failure of the process.
      held?.catch(() => undefined);
      return held === undefined ? taken : undefined;
    },
    return: async () => (await events.return?.()) ?? { done: true, value: undefined },
  };
}
