import type { SeededRandom } from "../random/seeded-random.ts";
import type { Stage } from "../round/open-stage.ts";
import type { Generation } from "../workload/generation.ts";
import { pauseFor } from "../workload/pause-for.ts";

/** The fault that changes what is deployed. */
export const DEPLOY = "deploy";

/** The longest time for which two generations work beside each other before the next process is replaced. */
const LONGEST_OVERLAP_MS = 1_500;

/** Replaces the workers one after the other by those of the next generation, most of them in order, some by a kill. */
export async function deployNext(stage: Stage, random: SeededRandom): Promise<void> {
  stage.log.note({ type: "fault", fault: DEPLOY });
  for (const worker of stage.workers) {
    await deployTo(stage, worker, { number: worker.generation.number + 1, isLast: false }, random.chance(0.3));
    await pauseFor(random.between(0, LONGEST_OVERLAP_MS), stage.signal);
  }
}

/** The end of a round: a generation that knows everything there was. */
export async function deployLast(stage: Stage): Promise<void> {
  for (const worker of stage.workers) {
    await deployTo(stage, worker, { number: worker.generation.number + 1, isLast: true }, false);
  }
}

async function deployTo(
  { log }: Stage,
  worker: Stage["workers"][number],
  generation: Generation,
  isKilled: boolean,
): Promise<void> {
  log.note({
    type: "fault",
    fault: "(a process was replaced)",
    worker: worker.name,
    detail: String(generation.number),
  });
  worker.deploy(generation);
  await (isKilled ? worker.kill() : worker.retire());
  await worker.start();
}
