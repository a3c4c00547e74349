import { type Env, RepriseError, type RunRecord, type TenantStore } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { DelegationLimits } from "./limits.ts";

/** Which runs every run of a tree started. One document per tree, so that limits hold over all processes. */
type Tree = { readonly [parentRunId: string]: readonly string[] };

const KIND = "run-tree";
/** A tree that started nothing for so long is forgotten. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The id of the run at the top of a run's tree. */
export function rootOf({ root_run_id, run_id }: Pick<RunRecord, "root_run_id" | "run_id">): string {
  return root_run_id ?? run_id;
}

/** The runs that a run started. */
export async function childrenOf(store: TenantStore, run: RunRecord): Promise<readonly string[]> {
  return (await loadTree(store, rootOf(run))).tree[run.run_id] ?? [];
}

/** Asks a run to stop. One that is over, or was noted and never started, needs no stop. */
export async function requestStop(store: TenantStore, runId: string, reason: string): Promise<void> {
  try {
    await store.requestCancel(runId, reason);
  } catch (error) {
    if (!RepriseError.is(error, "RUN_NOT_ACTIVE") && !RepriseError.is(error, "RUN_NOT_FOUND")) throw error;
  }
}

/** Notes a run below another before it is started. Refuses it when the tree is too deep or too large. Idempotent. */
export async function noteChild(
  store: TenantStore,
  parent: RunRecord,
  childId: string,
  { limits, now }: { readonly limits: DelegationLimits; readonly now: number },
): Promise<void> {
  const depth = (parent.depth ?? 0) + 1;
  if (limits.depth !== null && depth > limits.depth) throw tooMany(parent, "depth", limits.depth);
  for (;;) {
    const { tree, revision } = await loadTree(store, rootOf(parent));
    const siblings = tree[parent.run_id] ?? [];
    if (siblings.includes(childId)) return;
    if (siblings.length >= limits.children) throw tooMany(parent, "children", limits.children);
    if (Object.values(tree).flat().length >= limits.tree) throw tooMany(parent, "tree", limits.tree);
    const body: Json = { ...tree, [parent.run_id]: [...siblings, childId] };
    const document = { kind: KIND, id: rootOf(parent), body, expires_at: now + KEPT_MS };
    if ((await store.saveDocument(document, revision)).saved) return;
  }
}

async function loadTree(
  store: TenantStore,
  rootId: string,
): Promise<{ readonly tree: Tree; readonly revision: number }> {
  const stored = await store.loadDocument(KIND, rootId);
  // Written above.
  return { tree: (stored?.body ?? {}) as Tree, revision: stored?.revision ?? 0 };
}

const SAYS: { readonly [Limit in keyof DelegationLimits]: (most: number) => string } = {
  depth: (most) => `runs may start each other ${most} deep`,
  children: (most) => `a run may start ${most} runs`,
  tree: (most) => `a tree may have ${most} runs`,
};

function tooMany({ run_id }: RunRecord, limit: keyof DelegationLimits, most: number): RepriseError {
  const message = `Run ${run_id} cannot start another run: ${SAYS[limit](most)}.`;
  return new RepriseError("DELEGATION_LIMIT", message, { details: { run_id, limit, most } });
}

/** The id of a run that a call starts: the same whenever the call is executed. */
export function childRunId({ hash }: Pick<Env, "hash">, tenant: string, callId: string, key: string): string {
  return `child-${hash(JSON.stringify([tenant, callId, key])).slice(0, 32)}`;
}
