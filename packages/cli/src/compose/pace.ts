import type { Settings } from "../settings/settings.ts";

/** The speed of the demonstration. Tests do not need to read along. */
export interface Pace {
  readonly wordMs: number;
  readonly stepMs: number;
}

const USUAL: Pace = { wordMs: 25, stepMs: 300 };

/** `REPRISE_DEMO_PACE` multiplies the usual pace: 0 takes no time at all. */
export function readPace({ variables }: Pick<Settings, "variables">): Pace {
  const factor = Number(variables.REPRISE_DEMO_PACE ?? "1");
  const slow = Number.isFinite(factor) && factor >= 0 ? factor : 1;
  return { wordMs: USUAL.wordMs * slow, stepMs: USUAL.stepMs * slow };
}
