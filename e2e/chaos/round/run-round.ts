import { join } from "node:path";
import { checkHistory } from "../checker/check-history.ts";
import type { History, Violation } from "../checker/history.ts";
import { assertFaults, playFaults } from "../nemesis/nemesis.ts";
import { visitPoints } from "../nemesis/visit-points.ts";
import { createSeededRandom } from "../random/seeded-random.ts";
import { type Tally, tallyRound } from "../report/tally.ts";
import { collectHistory } from "./collect-history.ts";
import { keepFolder, makeFolder, removeFolder } from "./make-folder.ts";
import { openStage } from "./open-stage.ts";
import type { RoundOptions } from "./round-options.ts";

export interface RoundResult {
  readonly history: History;
  readonly violations: readonly Violation[];
  readonly tally: Tally;
  /** Fault points that were to be visited and were not. */
  readonly unvisited: readonly string[];
  /** Where everything of the round lies, for who wants to look. */
  readonly folder: string;
  /** Removes it; it goes with the process otherwise, unless it is kept. */
  discard(): void;
  keep(): void;
}

/** Plays one round: traffic and faults, then peace, then the check. Nothing of it runs on afterwards. */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  assertFaults(options);
  const folder = makeFolder();
  const discard = (): void => removeFolder(folder);
  try {
    const random = createSeededRandom(options.seed);
    const stage = await openStage(options, folder, random);
    try {
      const unvisited = options.visitsPoints === true ? await visitPoints(stage, random.branch("points")) : [];
      await playFaults(stage, options.faults, random.branch("nemesis"));
      const history = await collectHistory(stage, join(folder, "ledger.jsonl"));
      const violations = checkHistory(history);
      return {
        history,
        violations,
        tally: tallyRound(history, violations),
        unvisited,
        folder,
        discard,
        keep: () => keepFolder(folder),
      };
    } finally {
      await stage.close();
    }
  } catch (error) {
    discard();
    throw error;
  }
}
