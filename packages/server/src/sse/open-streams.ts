import type { Principal } from "../security/principal.ts";
import type { JoinedWriter } from "./joined-writer.ts";
import type { Outlet } from "./outlet.ts";
import { type Credential, type StreamSlot, StreamSlots } from "./stream-slots.ts";

export interface StreamLimits {
  /** A stream that is silent this long gets a comment. As often, credentials are looked at again. */
  readonly heartbeatMs: number;
  /** A client with more than this unread is waited for. */
  readonly maxBufferedBytes: number;
  /** A client that blocks for longer than this is dropped. It may reconnect and continue where it was. */
  readonly patienceMs: number;
  /** More streams than this are not opened at once. */
  readonly maxStreams: number;
  /** The same for one principal, where it is known who that is. */
  readonly maxStreamsPerPrincipal: number;
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  heartbeatMs: 15_000,
  maxBufferedBytes: 65_536,
  patienceMs: 10_000,
  maxStreams: 10_000,
  maxStreamsPerPrincipal: 500,
};

/** The streams that are open now. One timer beats for all of them. */
export class OpenStreams {
  readonly limits: StreamLimits;
  readonly #open = new Map<Outlet, { readonly writer: JoinedWriter; readonly slot: StreamSlot }>();
  readonly #slots: StreamSlots;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isClosed = false;
  #isRechecking = false;

  constructor(limits: StreamLimits) {
    this.limits = limits;
    this.#slots = new StreamSlots(limits);
  }

  get count(): number {
    return this.#open.size;
  }

  /** Set once, when the server ends. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Keeps a slot for a stream, or refuses the request for one too many. */
  reserve(principal: Principal, credential?: Credential): StreamSlot {
    return this.#slots.reserve(principal, credential);
  }

  add(outlet: Outlet, writer: JoinedWriter, slot: StreamSlot): void {
    if (this.#isClosed) return outlet.end();
    slot.take();
    this.#open.set(outlet, { writer, slot });
    this.#timer ??= setInterval(() => this.#beat(), this.limits.heartbeatMs);
  }

  remove(outlet: Outlet): void {
    this.#open.get(outlet)?.slot.leave();
    this.#open.delete(outlet);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Ends every stream and opens no more. Clients reconnect to another process; runs continue. */
  close(): void {
    this.#isClosed = true;
    for (const outlet of [...this.#open.keys()]) this.#end(outlet);
  }

  /** Ends the streams whose credential opens them no more. One that cannot be looked at now stays as it is. */
  async recheck(): Promise<void> {
    const answers = new Map<string, Promise<boolean>>();
    for (const [outlet, { slot }] of [...this.#open]) {
      const { credential } = slot;
      if (credential === undefined) continue;
      const answer = answers.get(credential.key) ?? credential.isGood().catch(() => true);
      answers.set(credential.key, answer);
      if (!(await answer)) this.#end(outlet);
    }
  }

  #beat(): void {
    for (const { writer } of this.#open.values()) writer.beat();
    if (this.#isRechecking) return;
    this.#isRechecking = true;
    void this.recheck().finally(() => {
      this.#isRechecking = false;
    });
  }

  #end(outlet: Outlet): void {
    this.#open.get(outlet)?.writer.flush();
    outlet.end();
    this.remove(outlet);
  }
}
