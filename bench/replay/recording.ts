import { createNodeEnv } from "../../packages/node/src/index.ts";
import { LivePort } from "../../packages/runtime/src/effects/live-port.ts";
import type { EffectPort } from "../../packages/runtime/src/effects/port.ts";
import { createMemoryBlobStore, createMemoryStore } from "../../packages/stores/src/memory/index.ts";
import { openRuntime, runOnce } from "./workload.ts";

// A process of its own: `recording.ts <repetitions> <runs> <warm-up>`. Sends the CPU of a run with its effects kept, as a ratio to the
// same run without, one for each repetition.
const [repetitions = 0, runs = 0, warmUp = 0] = process.argv.slice(2).map(Number);

const port: EffectPort = LivePort.prototype;
const { perform, ask, note, stream, report, commit, take } = port;
const KEPT: Partial<EffectPort> = { perform, ask, note, stream, report, commit, take };

/** The same port with nothing in it but the way to the world. */
const PLAIN: Partial<EffectPort> = {
  perform: async (_question, answer) => answer(),
  ask: (_question, answer) => answer(),
  note: (_question, answer) => answer(),
  stream: async (_question, answer) => answer(),
  report: async (question, answer) => answer((value) => question.report(value)),
  commit: async (_changeset, answer) => answer(),
  take: () => [],
};

await measure(KEPT, warmUp);
await measure(PLAIN, warmUp);
const ratios: number[] = [];
for (let repetition = 0; repetition < repetitions; repetition += 1) {
  const before = await measure(PLAIN, runs);
  const kept = await measure(KEPT, runs);
  const after = await measure(PLAIN, runs);
  ratios.push(kept / ((before + after) / 2));
}
process.send?.(ratios);
process.disconnect?.();

/** Milliseconds of CPU a run, on a store of its own, so that earlier runs do not count. */
async function measure(how: Partial<EffectPort>, count: number): Promise<number> {
  Object.assign(LivePort.prototype, how);
  const env = createNodeEnv();
  const runtime = await openRuntime(createMemoryStore(env), createMemoryBlobStore(env));
  globalThis.gc?.();
  const before = process.cpuUsage();
  for (let index = 0; index < count; index += 1) await runOnce(runtime);
  const { user, system } = process.cpuUsage(before);
  await runtime.close();
  return (user + system) / 1_000 / count;
}
