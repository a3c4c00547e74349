import type { Clock } from "@reprise/contracts";
import type { EffectPort } from "../effects/port.ts";

/** Counts how long an activation is at work. */
export class ActiveTime {
  readonly #effects: EffectPort;
  readonly #clock: Pick<Clock, "mono">;
  #countedFrom: number;

  constructor(effects: EffectPort, clock: Pick<Clock, "mono">) {
    this.#effects = effects;
    this.#clock = clock;
    this.#countedFrom = clock.mono();
  }

  /** The milliseconds since this was last asked. */
  take(stepId: string): number {
    return this.#effects.note({ kind: "active_ms", of: stepId }, () => {
      const now = this.#clock.mono();
      const elapsed = Math.round(now - this.#countedFrom);
      this.#countedFrom = now;
      return elapsed;
    });
  }
}
