import type { TenantStore } from "../../../packages/contracts/src/index.ts";
import type { RunScript } from "./record-run.ts";

/** How many transactions a run is. */
export const COMMITS_PER_RUN = 4;

/** Writes a run to a store as the runtime does: admission with the first commit, then three more. `onCommit` after each. */
export async function playRun(store: TenantStore, script: RunScript, onCommit: () => void = () => {}): Promise<void> {
  const { entry, claiming, commits } = script;
  const submitted = await store.submit(entry, claiming);
  if (submitted.status !== "claimed") throw new Error(`The run ${entry.run_id} was not started at once.`);
  onCommit();
  const { epoch } = submitted.claim;
  let { version } = submitted;
  for (const changeset of commits) {
    ({ version } = await store.commit(changeset, { expected: version, epoch }));
    onCommit();
  }
}
