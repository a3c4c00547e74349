import type { Amount, Budget, RunRecord } from "@reprise/contracts";
import type { Runtime } from "@reprise/runtime";
import type { PlayedTree } from "./play-tree.ts";

/** What is wrong with the budgets of a tree that was played to its end: nothing is set aside any more, no limit was exceeded, and what runs took is spent. */
export async function findBudgetProblems(tree: PlayedTree, runtime: Runtime): Promise<readonly string[]> {
  const runs = await tree.runs();
  const problems: string[] = [];
  for (const { run_id } of runs.filter((run) => run.budget_id === run.run_id)) {
    const budget = await runtime.budgets.get(run_id);
    const members = runs.filter(({ budget_id }) => budget_id === run_id);
    problems.push(...findLeaks(run_id, budget), ...findExcess(run_id, budget));
    problems.push(...(await findUnpaid(tree, run_id, budget, members)));
  }
  return problems;
}

function findLeaks(id: string, { reserved, allotments }: Budget): readonly string[] {
  const held = Object.entries(allotments).flatMap(([runId, part]) => (part.held ? runId : []));
  return [
    ...Object.keys(reserved).map((attempt) => `Budget ${id} still has reserved what ${attempt} asked for.`),
    ...held.map((runId) => `Budget ${id} still has set aside what run ${runId} was given.`),
  ];
}

type Limited = Pick<Budget, "limit_tokens" | "limit_tool_calls" | "spent">;

function findExcess(id: string, { allotments, ...budget }: Budget): readonly string[] {
  // The limits of a part are hard, also where the whole only warns.
  const parts: readonly (readonly [string, Limited])[] = Object.entries(allotments);
  const whole: readonly (readonly [string, Limited])[] = budget.on_exceeded === "warn" ? [] : [["all", budget]];
  return [...whole, ...parts].flatMap(([name, { limit_tokens, limit_tool_calls, spent }]) => {
    const isOver = isAbove(spent.tokens, limit_tokens) || isAbove(spent.tool_calls ?? 0, limit_tool_calls);
    return isOver
      ? `Of budget ${id} ${name} spent ${sayAmount(spent)} of ${limit_tokens} and ${limit_tool_calls}.`
      : [];
  });
}

function isAbove(spent: number, limit: number | null): boolean {
  return limit !== null && spent > limit;
}

/** A process that died may have spent more than its run recorded, and never less. */
async function findUnpaid(
  { tenant }: PlayedTree,
  id: string,
  { allotments, spent }: Budget,
  runs: readonly RunRecord[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const parts = Object.entries(allotments);
  const shares: readonly (readonly [name: string, amount: Amount, paid: readonly RunRecord[]])[] = [
    ["all", spent, runs],
    ...parts.map(([runId, part]) => [runId, part.spent, runs.filter((run) => isPaidBy(run, runId))] as const),
  ];
  for (const [name, amount, paid] of shares) {
    const tokens = paid.reduce((sum, { input_tokens, output_tokens }) => sum + input_tokens + output_tokens, 0);
    let calls = 0;
    for (const { run_id } of paid.filter(({ counts_calls }) => counts_calls === true)) {
      const { items } = await tenant.listCalls({ run_id, status: "succeeded", limit: 200 });
      calls += items.filter(({ tool_id }) => OWN_TOOLS.has(tool_id)).length;
    }
    if (amount.tokens < tokens || (amount.tool_calls ?? 0) < calls)
      problems.push(`Of budget ${id} ${name} spent ${sayAmount(amount)}, but its runs took ${tokens} and ${calls}.`);
  }
  return problems;

  function isPaidBy({ allotment_id }: RunRecord, part: string): boolean {
    for (let at = allotment_id; at !== undefined; at = allotments[at]?.above) if (at === part) return true;
    return false;
  }
}

/** Questions of the runtime are calls too, and count for nothing. */
const OWN_TOOLS: ReadonlySet<string> = new Set(["delegate", "read", "write", "ask"]);

function sayAmount({ tokens, tool_calls = 0 }: Amount): string {
  return `${tokens} tokens and ${tool_calls} tool calls`;
}
