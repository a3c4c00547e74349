import type { Page, RunRecord } from "@reprise/contracts";
import type { Connections } from "../witness/connections.ts";

/** The runs that are over, as a worker lists them. */
export async function listDone(connections: Connections): Promise<readonly RunRecord[]> {
  const runs: RunRecord[] = [];
  for (;;) {
    const reply = await connections.askUntilDefinite({ op: "done_runs", offset: runs.length });
    if (!("answer" in reply)) throw new Error(`The runs cannot be listed: ${reply.refusal.message}`);
    // The answer of `done_runs` is a page of them.
    const { items, has_more } = reply.answer as unknown as Page<RunRecord>;
    runs.push(...items);
    if (!has_more || items.length === 0) return runs;
  }
}
