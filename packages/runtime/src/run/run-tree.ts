import {
  type Env,
  RepriseError,
  type RunRecord,
  runNotActive,
  type TenantStore,
  type TreeMember,
} from "@reprise/contracts";
import type { DelegationLimits } from "./limits.ts";

/** The runs of a tree. One document per tree, so that limits and cancellations hold over all processes. */
interface Tree {
  /** Which runs every run started. */
  readonly children: { readonly [parentRunId: string]: readonly string[] };
  /** The runs that were cancelled with everything below them. Below one, no run starts and no model is asked. */
  readonly cancelled: readonly string[];
}

const KIND = "run-tree";
/** A tree that started nothing for so long is forgotten. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The id of the run at the top of a run's tree. */
export function rootOf({ root_run_id, run_id }: TreeMember): string {
  return root_run_id ?? run_id;
}

/** The id of the request by which a run in the background tells the thread above that it is over. */
export function completionOf(runId: string): string {
  return `${runId}-completion`;
}

/** The depth of the runs that a run starts. */
export function depthBelow({ depth = 0 }: Pick<RunRecord, "depth">): number {
  return depth + 1;
}

/** The runs that a run started. */
export async function childrenOf(store: TenantStore, run: TreeMember): Promise<readonly string[]> {
  return childrenIn(await loadTree(store, run), run);
}

export function childrenIn({ tree }: LoadedTree, { run_id }: TreeMember): readonly string[] {
  return tree.children[run_id] ?? [];
}

/** Whether a run, or a run above it, was cancelled with everything below. */
export async function isInCancelledTree(store: TenantStore, run: TreeMember): Promise<boolean> {
  const { tree } = await loadTree(store, run);
  return isCancelledIn(tree, run.run_id);
}

/**
 * Cancels every run below a run. It is noted in the tree first: from then on no process starts a run below, or asks a model for one, whether
 * it has heard of its own cancellation or not. Idempotent.
 */
export async function cancelBelow(store: TenantStore, run: TreeMember, reason: string, now: number): Promise<void> {
  const { run_id } = run;
  for (;;) {
    const { tree, revision } = await loadTree(store, run);
    // There is no tree: a run that starts its first one from here on looks for its own cancellation.
    if (revision === 0) return;
    const isNoted = isCancelledIn(tree, run_id);
    if (!isNoted && !(await saveTree(store, run, { ...tree, cancelled: [...tree.cancelled, run_id] }, revision, now)))
      continue;
    // The cancellation of a run above reaches all of them by itself.
    const isFirst = !isNoted || tree.cancelled.includes(run_id);
    for (const id of isFirst ? descendantsOf(tree, run_id) : (tree.children[run_id] ?? [])) {
      await requestStop(store, id, reason);
      // A notice that a run above has not taken in would wake it as a run of its own.
      await requestStop(store, completionOf(id), reason);
    }
    return;
  }
}

function isCancelledIn({ children, cancelled }: Tree, runId: string): boolean {
  if (cancelled.length === 0) return false;
  const parents = new Map(Object.entries(children).flatMap(([parent, ids]) => ids.map((id) => [id, parent] as const)));
  for (let id: string | undefined = runId; id !== undefined; id = parents.get(id))
    if (cancelled.includes(id)) return true;
  return false;
}

/** Every run below a run, those above before those below them. */
function descendantsOf({ children }: Tree, runId: string): readonly string[] {
  const found = [...(children[runId] ?? [])];
  for (const id of found) found.push(...(children[id] ?? []));
  return found;
}

/** A run and every run below it. */
export async function familyOf(store: TenantStore, run: TreeMember): Promise<readonly string[]> {
  const { tree } = await loadTree(store, run);
  return [run.run_id, ...descendantsOf(tree, run.run_id)];
}

/** Asks a run to stop. One that is over, or was noted and never started, needs no stop. */
export async function requestStop(store: TenantStore, runId: string, reason: string): Promise<void> {
  try {
    await store.requestCancel(runId, reason);
  } catch (error) {
    if (!RepriseError.is(error, "RUN_NOT_ACTIVE") && !RepriseError.is(error, "RUN_NOT_FOUND")) throw error;
  }
}

/**
 * Notes a run below another before it is started. Refuses it when the tree is too deep or too large, or was cancelled. Idempotent. Returns
 * whether it began the tree: a cancellation that came before found nothing to note itself in.
 */
export async function noteChild(
  store: TenantStore,
  parent: RunRecord,
  childId: string,
  { limits, now, seen }: { readonly limits: DelegationLimits; readonly now: number; readonly seen: LoadedTree },
): Promise<boolean> {
  const depth = depthBelow(parent);
  if (limits.depth !== null && depth > limits.depth) throw tooMany(parent, "depth", limits.depth);
  for (let known = seen; ; known = await loadTree(store, parent)) {
    const { tree, revision } = known;
    if (isCancelledIn(tree, parent.run_id)) throw runNotActive(parent.run_id, "cancelled");
    const { children } = tree;
    const siblings = children[parent.run_id] ?? [];
    if (siblings.includes(childId)) return false;
    if (siblings.length >= limits.children) throw tooMany(parent, "children", limits.children);
    if (Object.values(children).flat().length >= limits.tree) throw tooMany(parent, "tree", limits.tree);
    const grown = { ...tree, children: { ...children, [parent.run_id]: [...siblings, childId] } };
    if (await saveTree(store, parent, grown, revision, now)) return revision === 0;
  }
}

/** A tree as it was stored when it was read. */
export interface LoadedTree {
  readonly tree: Tree;
  readonly revision: number;
}

export async function loadTree(store: TenantStore, run: TreeMember): Promise<LoadedTree> {
  const stored = await store.loadDocument(KIND, rootOf(run));
  // Written below.
  const tree = stored?.body as unknown as Tree | undefined;
  return { tree: tree ?? { children: {}, cancelled: [] }, revision: stored?.revision ?? 0 };
}

/** False when another process was faster. */
async function saveTree(
  store: TenantStore,
  run: TreeMember,
  { children, cancelled }: Tree,
  revision: number,
  now: number,
): Promise<boolean> {
  const document = { kind: KIND, id: rootOf(run), body: { children, cancelled }, expires_at: now + KEPT_MS };
  return (await store.saveDocument(document, revision)).saved;
}

const SAYS: { readonly [Limit in keyof DelegationLimits]: (most: number) => string } = {
  depth: (most) => `runs may start each other ${most} deep`,
  children: (most) => `a run may start ${countRuns(most)}`,
  tree: (most) => `a tree may have ${countRuns(most)}`,
};

function countRuns(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}

function tooMany({ run_id }: RunRecord, limit: keyof DelegationLimits, most: number): RepriseError {
  const message = `Run ${run_id} cannot start another run: ${SAYS[limit](most)}.`;
  return new RepriseError("DELEGATION_LIMIT", message, { details: { run_id, limit, most } });
}

/** The id of a run that a call starts: the same whenever the call is executed. */
export function childRunId({ hash }: Pick<Env, "hash">, tenant: string, callId: string, key: string): string {
  return `child-${hash(JSON.stringify([tenant, callId, key])).slice(0, 32)}`;
}

/** The same for a run that makes one call in the background. */
export function backgroundCallId({ hash }: Pick<Env, "hash">, tenant: string, callId: string, key: string): string {
  return `bg_${hash(JSON.stringify([tenant, callId, key, "call"])).slice(0, 32)}`;
}
