import type { Runtime } from "@reprise/runtime";

/** How often the store is written to at most, however often it is asked about. */
const EVERY_MS = 2_000;

/** A probe that is not repeated is forgotten. */
const FORGOTTEN_MS = 60_000;

/** More than the space that a full disk may have left in a page or a log. */
const BALLAST = "x".repeat(65_536);

/** Finds out whether the store takes writes: a full disk is read from as if nothing were wrong. */
export class StoreProbe {
  readonly #runtime: Pick<Runtime, "documents" | "now">;
  readonly #id: string = crypto.randomUUID();
  #revision = 0;
  #last: { readonly at: number; readonly outcome: Promise<void> } | undefined;

  constructor(runtime: Pick<Runtime, "documents" | "now">) {
    this.#runtime = runtime;
  }

  /** Throws why the store takes no writes. Asked often, it looks now and then. */
  check(): Promise<void> {
    const now = this.#runtime.now();
    if (this.#last === undefined || now - this.#last.at >= EVERY_MS) this.#last = { at: now, outcome: this.#write() };
    return this.#last.outcome;
  }

  async #write(): Promise<void> {
    const { documents } = this.#runtime;
    const probe = { kind: "probe", id: this.#id, body: BALLAST, expires_at: this.#runtime.now() + FORGOTTEN_MS };
    const first = await documents.saveDocument(probe, this.#revision);
    // The last one may have been forgotten meanwhile.
    const written = first.saved ? first : await documents.saveDocument(probe, first.document?.revision ?? 0);
    this.#revision = written.document?.revision ?? 0;
  }
}
