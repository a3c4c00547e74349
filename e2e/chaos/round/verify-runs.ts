import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReplayResult } from "@reprise/runtime";
import type { Verification } from "../checker/history.ts";
import type { Connections } from "../witness/connections.ts";
import { openQuietly } from "./await-rest.ts";
import { listDone } from "./list-done.ts";
import type { Stage } from "./open-stage.ts";

/** Has every run that is over replayed and compared with its recording, by workers as they are deployed now. */
export async function verifyRuns(stage: Stage): Promise<readonly Verification[]> {
  const connections = openQuietly(stage, stage.options.clients === "socket" ? "socket" : "http");
  const verifications: Verification[] = [];
  try {
    for (const { run_id } of await listDone(connections)) {
      const reply = await connections.askUntilDefinite({ op: "verify", run_id });
      if (!("answer" in reply)) {
        verifications.push({ run_id, refusal: reply.refusal });
        continue;
      }
      // The answer of `verify` is one.
      const result = reply.answer as unknown as ReplayResult;
      verifications.push({ run_id, result });
      if (!result.equal) await keepRecording(stage, connections, run_id);
    }
  } finally {
    connections.close();
  }
  return verifications;
}

/** Leaves the recording of a run that replays otherwise in the round's folder: a server's store is gone with the rig. */
async function keepRecording({ folder }: Stage, connections: Connections, run_id: string): Promise<void> {
  const reply = await connections.ask({ op: "export", run_id });
  if ("answer" in reply) writeFileSync(join(folder, `${run_id}.recording.json`), JSON.stringify(reply.answer));
}
