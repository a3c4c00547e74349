import { writeFileSync } from "node:fs";
import { createSeededRandom } from "../random/seeded-random.ts";
import type { ClientKind } from "../witness/client.ts";
import { Connections } from "../witness/connections.ts";
import { WitnessLog } from "../witness/witness-log.ts";
import { pauseFor } from "../workload/pause-for.ts";
import { SCHEDULED_AGENT } from "../workload/schedule-document.ts";
import { listDone } from "./list-done.ts";
import { type Stage, schedulesOver } from "./open-stage.ts";

/** Two times show whether one between them was missed, or one fired twice. */
const SCHEDULED_RUNS = 2;

interface OpenWork {
  readonly running: readonly string[];
  readonly waiting: readonly string[];
  readonly queued: readonly string[];
}

/** Waits until clients have read every run to its end and the store has no open work; returns what is open when time is up. */
export async function awaitRest(stage: Stage): Promise<readonly string[]> {
  const { restWithinMs } = stage.options;
  const deadline = Date.now() + restWithinMs;
  const connections = openQuietly(stage);
  try {
    if (stage.options.workflows) await awaitSchedule(stage, connections, deadline);
    writeFileSync(schedulesOver(stage.folder), "");
    const isOver = await stage.traffic.end(Math.max(deadline - Date.now(), 0));
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

/** Waits until the schedule has fired as often as a round needs: a short one would otherwise say nothing about schedules. */
async function awaitSchedule({ signal }: Stage, connections: Connections, deadline: number): Promise<void> {
  while (Date.now() < deadline) {
    const fired = (await listDone(connections)).filter(({ agent_id }) => agent_id === SCHEDULED_AGENT);
    if (fired.length >= SCHEDULED_RUNS) return;
    await pauseFor(100, signal);
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
