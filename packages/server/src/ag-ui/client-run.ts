import { MAX_LIMIT, type RunRecord } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";

/** Where a run keeps the id that its client gave it. */
const CLIENT_RUN_ID = "ag_ui_run_id";

/** The metadata of a run that has an id of its client's own. */
export function clientRunMetadata(clientRunId: string): NonNullable<RunRecord["metadata"]> {
  return { [CLIENT_RUN_ID]: clientRunId };
}

/** The id that the client of a run knows it by. */
export function clientRunIdOf({ run_id, metadata }: Pick<RunRecord, "run_id" | "metadata">): string {
  const known = metadata?.[CLIENT_RUN_ID];
  return typeof known === "string" ? known : run_id;
}

/** A run of the thread by the id that its client gave it; looked for among the latest runs. */
export async function findClientRun(
  runtime: TenantRuntime,
  threadId: string,
  clientRunId: string,
): Promise<RunRecord | undefined> {
  const { items } = await runtime.runs({ threadId, limit: MAX_LIMIT });
  return items.find(({ metadata }) => metadata?.[CLIENT_RUN_ID] === clientRunId);
}
