/** A reader of a run's inbox, with its own mark of what is new. */
export type MailReader = "decisions" | "steering";

/** Says that something came for a run while it is worked on. The loop looks into the inbox when it suits. */
export class MailFlag {
  #arrived: number;
  readonly #seen: Record<MailReader, number> = { decisions: 0, steering: 0 };
  #waiting: (() => void) | undefined;

  /** Raised from the start when mail may have arrived before this activation listened. */
  constructor(mayHaveMail: boolean) {
    this.#arrived = mayHaveMail ? 1 : 0;
  }

  /** Whether it is raised already. */
  get isRaised(): boolean {
    return this.has("decisions") && this.has("steering");
  }

  raise(): void {
    this.#arrived++;
    this.#waiting?.();
    this.#waiting = undefined;
  }

  /** Whether there is anything this reader has not asked about. */
  has(reader: MailReader): boolean {
    return this.#seen[reader] < this.#arrived;
  }

  /** The same, and it has now asked. */
  take(reader: MailReader): boolean {
    const isNew = this.has(reader);
    this.#seen[reader] = this.#arrived;
    return isNew;
  }

  /** Calls back when something comes, once. For one listener at a time. */
  onArrival(listener: () => void): void {
    this.#waiting = listener;
  }
}

/** Tells an activation that its thread got mail. One listener; what came before it listened is not lost. */
export class MailSource {
  #isRaised: boolean;
  #listener: (() => void) | undefined;

  constructor(mayHaveMail: boolean) {
    this.#isRaised = mayHaveMail;
  }

  raise(): void {
    this.#isRaised = true;
    this.#listener?.();
  }

  /** Returns whether there may be mail already. */
  listen(listener: () => void): boolean {
    this.#listener = listener;
    return this.#isRaised;
  }
}
