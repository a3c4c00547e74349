import type { RunRecord } from "@reprise/contracts";
import type { PlayedTree } from "./play-tree.ts";
import { toldEnds } from "./play-tree.ts";
import type { TreeNode, TreeScenario } from "./tree-scenario.ts";

/** Everything that is wrong with a tree that was played to its end. */
export async function findTreeProblems(tree: PlayedTree): Promise<readonly string[]> {
  const { scenario, tenant, cancelled } = tree;
  const problems = [...tree.problems];
  const runs = await tree.runs();
  const byId = new Map(runs.map((run) => [run.run_id, run]));
  // Notices of background runs are runs of their own on the thread of the run above.
  const members = runs.filter(({ run_id }) => run_id === "root" || run_id.startsWith("child-")).filter(isNoNotice);
  const open = runs.filter(({ status }) => status !== "done");
  problems.push(...open.map(({ run_id, status }) => `Run ${run_id} is ${status} when everything should be over.`));
  const { items: entries } = await tenant.listEntries({ limit: 200 });
  for (const { entry_id, status } of entries)
    if (status === "queued" || status === "claimed" || status === "dead_letter")
      problems.push(`Entry ${entry_id} is ${status} at the end.`);
  if (open.length > 0) return problems;

  const isSpared = (run: RunRecord): boolean => !hasCancelledAbove(run, byId, cancelled);
  const nodes = new Map<string, TreeNode>();
  for (const run of members) {
    const node = await tree.nodeOf(run.thread_id);
    if (node !== undefined) nodes.set(run.run_id, node);
    const code = run.termination_code ?? "";
    const isFree = isSpared(run) && !isLimited(scenario);
    const expected = isFree ? [node?.fails === true ? "error" : "natural"] : ["natural", "cancelled", "error"];
    if (!expected.some((end) => code.startsWith(end)))
      problems.push(`Run ${run.run_id} of node ${node?.id} ended as ${code}: ${run.termination_detail}`);
    problems.push(...(await checkTold(tree, run, byId)));
  }
  // Which nodes work within limits depends on which of them comes first.
  if (cancelled.size > 0 || isLimited(scenario)) return problems;

  const worked = [...nodes.values()].map(({ id }) => id).toSorted((left, right) => left - right);
  const expected = scenario.nodes.filter((node) => isReached(node, scenario.nodes)).map(({ id }) => id);
  if (worked.join() !== expected.join()) problems.push(`Nodes ${worked} worked, not ${expected}.`);
  const root = await tenant.readMessages("root", 0);
  const answer = root.messages.findLast(({ role }) => role === "assistant")?.content;
  const total = countForeground(0, scenario.nodes);
  if (answer !== String(total)) problems.push(`The run at the top answered ${answer}, not ${total}.`);
  for (const [runId, node] of nodes) {
    const notices = entries.filter(({ run_id }) => run_id === `${runId}-completion`);
    const wanted = node.isBackground ? 1 : 0;
    if (notices.length !== wanted) problems.push(`Node ${node.id} gave ${notices.length} notices, not ${wanted}.`);
    if (notices.some(({ status }) => status !== "accepted"))
      problems.push(`The notice of node ${node.id} was not taken in.`);
  }
  return problems;
}

function isLimited({ budget, nodes }: TreeScenario): boolean {
  return budget !== undefined || nodes.some(({ limits }) => limits !== undefined);
}

function isNoNotice({ run_id }: RunRecord): boolean {
  return !run_id.endsWith("-completion");
}

/** What a run was told of the runs below it is how they ended, once each. */
async function checkTold(
  { tenant, cancelled }: PlayedTree,
  run: RunRecord,
  byId: ReadonlyMap<string, RunRecord>,
): Promise<readonly string[]> {
  const { messages } = await tenant.readMessages(run.thread_id, 0);
  const ends = toldEnds(messages);
  const problems: string[] = [];
  for (const { run_id, status, output } of ends) {
    const child = byId.get(run_id);
    if (ends.filter((end) => end.run_id === run_id).length > 1)
      problems.push(`Run ${run.run_id} heard of ${run_id} twice.`);
    // A run that was cancelled before it began has no row.
    const actual = child === undefined ? "stopped" : statusOf(child);
    // A run that had answered when its tree was cancelled may not have been able to end as it answered.
    if (status === "completed" && child !== undefined && hasCancelledAbove(child, byId, cancelled)) continue;
    // Nor may one whose time was over when its next owner took it up.
    if (actual === "stopped" && child?.deadline_at !== undefined) continue;
    if (status !== actual) problems.push(`Run ${run.run_id} heard that ${run_id} is ${status}; it is ${actual}.`);
    const said = (await tenant.readMessages(`sub-agent-${run_id}`, 0)).messages
      .filter(({ metadata, role }) => role === "assistant" && metadata?.run_id !== undefined)
      .findLast(({ metadata }) => metadata?.run_id === run_id)?.content;
    if (status === "completed" && said !== undefined && output !== said)
      problems.push(`Run ${run.run_id} heard ${output} from ${run_id}, which said ${said}.`);
  }
  return problems;
}

function statusOf({ termination_code = "" }: RunRecord): string {
  if (termination_code === "natural") return "completed";
  return termination_code === "cancelled" ? "stopped" : "failed";
}

function hasCancelledAbove(
  run: RunRecord,
  byId: ReadonlyMap<string, RunRecord>,
  cancelled: ReadonlySet<string>,
): boolean {
  for (let above: RunRecord | undefined = run; above !== undefined; above = byId.get(above.parent_run_id ?? ""))
    if (cancelled.has(above.run_id)) return true;
  return false;
}

/** A node works unless one above it fails. */
function isReached(node: TreeNode, nodes: readonly TreeNode[]): boolean {
  for (let at = node.parent; at !== undefined; at = nodes[at]?.parent) if (nodes[at]?.fails === true) return false;
  return true;
}

/** How many runs worked on the answer of a node: itself, and those below that somebody waited for. */
function countForeground(id: number, nodes: readonly TreeNode[]): number {
  if (nodes[id]?.fails === true) return 0;
  const below = nodes.filter(({ parent, isBackground }) => parent === id && !isBackground);
  return below.reduce((sum, child) => sum + countForeground(child.id, nodes), 1);
}
