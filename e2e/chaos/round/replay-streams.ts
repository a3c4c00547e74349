import type { Replay } from "../checker/history.ts";
import { createSeededRandom } from "../random/seeded-random.ts";
import type { ClientKind } from "../witness/client.ts";
import type { Connections } from "../witness/connections.ts";
import { WitnessLog } from "../witness/witness-log.ts";
import { openQuietly } from "./await-rest.ts";
import type { Stage } from "./open-stage.ts";

/** How many streams are read again in a round. */
const REPLAYS = 60;

/** Reads streams again, from the start and from cursors that somebody had seen, some of them never committed. */
export async function replayStreams(stage: Stage): Promise<readonly Replay[]> {
  const random = createSeededRandom(`${stage.options.seed}/replays`);
  const seen = stage.log.records.filter((record) => record.type === "event");
  const replays: Replay[] = [];
  for (let left = Math.min(REPLAYS, seen.length); left > 0; left--) {
    const record = seen[random.between(0, seen.length - 1)];
    if (record === undefined) continue;
    const after = random.chance(0.1) ? undefined : record.cursor;
    const { clients } = stage.options;
    const kind = clients === "both" ? random.pick<ClientKind>(["http", "socket"]) : clients;
    replays.push(await replay(stage, kind, record.event.run_id, after));
  }
  return replays;
}

async function replay(stage: Stage, kind: ClientKind, run_id: string, after: string | undefined): Promise<Replay> {
  const log = new WitnessLog();
  const connections: Connections = openQuietly(stage, kind, log);
  const client = await connections.any();
  await new Promise<void>((resolve) => {
    client.listen({ run_id, after, follow: false }, { event() {}, closed: () => resolve() });
  });
  connections.close();
  return { run_id, after, records: log.records };
}
