import { HttpRefusal } from "../http/http-refusal.ts";
import { LOCAL_PRINCIPAL, type Principal, principalKey } from "../security/principal.ts";
import type { StreamLimits } from "./open-streams.ts";

/** What a stream was opened with. Streams of one key are of one credential. */
export interface Credential {
  readonly key: string;
  /** Whether it opens the stream still: keys are revoked, and everything that has an end comes to it. */
  isGood(): Promise<boolean>;
}

/** A slot for one stream. Kept from before anything is done for a request: a run must not begin for whom there is no stream. */
export interface StreamSlot {
  /** The stream is there: the slot is its own until it leaves. */
  take(): void;
  readonly isTaken: boolean;
  readonly credential?: Credential;
  /** Frees the slot. Idempotent. */
  leave(): void;
}

/** As many slots as streams may be open, in all and for one principal. */
export class StreamSlots {
  readonly #limits: Pick<StreamLimits, "maxStreams" | "maxStreamsPerPrincipal">;
  readonly #kept = new Map<string, number>();
  #count = 0;

  constructor(limits: Pick<StreamLimits, "maxStreams" | "maxStreamsPerPrincipal">) {
    this.#limits = limits;
  }

  reserve(principal: Principal, credential?: Credential): StreamSlot {
    const { maxStreams, maxStreamsPerPrincipal } = this.#limits;
    if (this.#count >= maxStreams) {
      throw new HttpRefusal(503, "unavailable: too many streams are open", { "retry-after": "1" });
    }
    const owner = principalKey(principal);
    // Without authentication this principal stands for all clients.
    if (principal !== LOCAL_PRINCIPAL && (this.#kept.get(owner) ?? 0) >= maxStreamsPerPrincipal) {
      throw new HttpRefusal(429, "too many requests: too many streams are open", { "retry-after": "1" });
    }
    this.#change(owner, 1);
    let state: "kept" | "taken" | "left" = "kept";
    return {
      ...(credential !== undefined && { credential }),
      take: () => {
        state = "taken";
      },
      get isTaken() {
        return state === "taken";
      },
      leave: () => {
        if (state !== "left") this.#change(owner, -1);
        state = "left";
      },
    };
  }

  #change(owner: string, by: 1 | -1): void {
    this.#count += by;
    const kept = (this.#kept.get(owner) ?? 0) + by;
    if (kept > 0) this.#kept.set(owner, kept);
    else this.#kept.delete(owner);
  }
}
