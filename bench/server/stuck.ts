import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Child } from "./child.ts";
import { open, startRun } from "./client.ts";
import { atMost, type Target } from "./target.ts";

const RUNS = 100;
const AT_ONCE = 4;
const CLIENTS = 200;
const PIECES = 1_000;

/** Clients that ask for a stream and do not read it, while 100 MB go through the server. */
export async function measureStuck(): Promise<Target> {
  const alone = await emit(0);
  const stuck = await emit(CLIENTS / RUNS);
  const name = `${CLIENTS} stuck clients while ${(RUNS * PIECES) / 1_000} MB are emitted: memory at its highest, beyond that without them`;
  return atMost(name, Math.max(stuck - alone, 0) / 1e6, 250, (value) => `${Math.round(value)} MB`);
}

/** The most memory the server had, while clients stood beside each run. */
async function emit(clientsOfEach: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-"));
  const server = await Child.start("./serve.ts", join(folder, "server.db"));
  try {
    let left = RUNS;
    const flood = async (): Promise<void> => {
      while (left-- > 0) await floodOnce(server.port, `thread-${left}`, clientsOfEach);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, flood));
    return (await server.footprint()).peak;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function floodOnce(port: number, threadId: string, clients: number): Promise<void> {
  let bytes = 0;
  let runId: string | undefined;
  await startRun(
    port,
    `flood ${PIECES}`,
    (chunk) => {
      bytes += chunk.length;
      if (runId !== undefined) return;
      runId = /"run_id":"([^"]+)"/.exec(chunk.toString())?.[1];
      if (runId !== undefined) for (let client = 0; client < clients; client += 1) standStill(port, runId);
    },
    threadId,
  ).ended;
  if (bytes < PIECES * 1_000) throw new Error(`Only ${bytes} bytes came.`);
}

function standStill(port: number, runId: string): void {
  const reading = open({ port, path: `/v1/runs/${runId}/events` }, () => reading.pause());
  reading.ended.catch(() => undefined);
}
