import { settle } from "./fake-clock.ts";

/** What happens at a fault point: an error is thrown, a function is called and awaited. */
export type FaultAction = Error | (() => Promise<void> | void);

/** A fault point that blocks its callers. */
export interface HeldPoint {
  /** Resolves when a caller waits here. */
  readonly reached: Promise<void>;
  release(): void;
}

/** The named moments at which a test may stop, delay or break what it tests. */
export class FakeFaults {
  readonly #actions = new Map<string, FaultAction>();
  readonly #seen: string[] = [];

  /** Every point that was passed, in order. */
  get seen(): readonly string[] {
    return [...this.#seen];
  }

  /** Does something each time a point is passed. Returns the way to stop it. */
  on(name: string, action: FaultAction): () => void {
    this.#actions.set(name, action);
    return () => {
      if (this.#actions.get(name) === action) this.#actions.delete(name);
    };
  }

  /** Does something the next time only. */
  once(name: string, action: FaultAction): void {
    const off = this.on(name, () => {
      off();
      return perform(action);
    });
  }

  /** Stops the first who comes, until released. */
  hold(name: string): HeldPoint {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const off = this.on(name, () => {
      off();
      reached.resolve();
      return released.promise;
    });
    return { reached: reached.promise, release: () => released.resolve() };
  }

  /** What `Env.point` calls. */
  readonly pass = (name: string): Promise<void> | undefined => {
    this.#seen.push(name);
    const action = this.#actions.get(name);
    // Asynchronous, as a real fault would be: the error reaches the caller that awaits the point.
    return action === undefined ? undefined : settle().then(() => perform(action));
  };
}

function perform(action: FaultAction): Promise<void> | void {
  if (typeof action === "function") return action();
  throw action;
}
