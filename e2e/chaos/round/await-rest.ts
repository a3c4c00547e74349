import { createSeededRandom } from "../random/seeded-random.ts";
import type { ClientKind } from "../witness/client.ts";
import { Connections } from "../witness/connections.ts";
import { WitnessLog } from "../witness/witness-log.ts";
import { pauseFor } from "../workload/pause-for.ts";
import type { Stage } from "./open-stage.ts";

interface OpenWork {
  readonly running: readonly string[];
  readonly waiting: readonly string[];
  readonly queued: readonly string[];
}

/** Waits until clients have read every run to its end and the store has no open work; returns what is open when time is up. */
export async function awaitRest(stage: Stage): Promise<readonly string[]> {
  const { restWithinMs } = stage.options;
  const deadline = Date.now() + restWithinMs;
  const isOver = await stage.traffic.end(restWithinMs);
  const connections = openQuietly(stage);
  try {
    for (;;) {
      const open = await askOpenWork(connections);
      if (isOver && open.length === 0) return [];
      if (Date.now() > deadline) return open.length > 0 ? open : ["a client still waits for an event"];
      await pauseFor(100, stage.signal);
    }
  } finally {
    connections.close();
  }
}

/** Connections that are not part of what is witnessed. */
export function openQuietly(
  { workers, signal }: Stage,
  kind: ClientKind = "socket",
  log: WitnessLog = new WitnessLog(),
): Connections {
  return new Connections({ workers, log, random: createSeededRandom("quiet"), signal, kind });
}

async function askOpenWork(connections: Connections): Promise<readonly string[]> {
  const reply = await connections.ask({ op: "open_work" });
  if (!("answer" in reply)) return ["nobody can say"];
  // The answer of `open_work` is one.
  const { running, waiting, queued } = reply.answer as unknown as OpenWork;
  return [
    ...running.map((id) => `run ${id} is running`),
    ...waiting.map((id) => `run ${id} is waiting`),
    ...queued.map((id) => `entry ${id} is queued`),
  ];
}
