import { randomUUID } from "node:crypto";
import type {
  Changeset,
  ClaimingSubmission,
  NewEntry,
  Store,
  TenantStore,
} from "../../../packages/contracts/src/index.ts";
import { memory } from "../../../packages/reprise/src/index.ts";
import { openRuntime } from "./open-runtime.ts";
import { QUESTION } from "./workload.ts";

/** What a runtime asks its store to write in one run. */
export interface RunScript {
  readonly entry: NewEntry;
  readonly claiming: ClaimingSubmission;
  readonly commits: readonly Changeset[];
}

/** Makes the same run again under other ids. */
export type ScriptMaker = () => RunScript;

/** Lets the runtime do one run and keeps what it wrote. All ids in it follow from two, so that it can be repeated. */
export async function recordRun(): Promise<ScriptMaker> {
  const store = memory();
  const written: { submission?: Pick<RunScript, "entry" | "claiming">; readonly commits: Changeset[] } = {
    commits: [],
  };
  const runtime = await openRuntime(intercept(store, written));
  const run = await runtime.start({ agent: "bench", input: QUESTION });
  await run.outcome();
  await runtime.close();
  if (written.submission === undefined || written.commits.length !== 3)
    throw new Error("The run was not four commits.");
  const text = JSON.stringify({ ...written.submission, commits: written.commits });
  return () => {
    const copy = text.replaceAll(run.id, randomUUID()).replaceAll(run.threadId, randomUUID());
    // A copy of what was written, with other ids.
    return JSON.parse(copy) as RunScript;
  };
}

function intercept(
  store: Store,
  written: { submission?: Pick<RunScript, "entry" | "claiming">; readonly commits: Changeset[] },
): Store {
  const wrap = (inner: TenantStore): TenantStore => ({
    ...inner,
    submit(entry, claiming) {
      if (claiming !== undefined) written.submission = { entry, claiming };
      return inner.submit(entry, claiming);
    },
    commit(changeset, guard) {
      written.commits.push(changeset);
      return inner.commit(changeset, guard);
    },
  });
  return {
    durability: store.durability,
    forTenant: (tenant) => wrap(store.forTenant(tenant)),
    operator: store.operator,
    close: () => store.close(),
  };
}
