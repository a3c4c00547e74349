import type { DecisionInput, RunRecord } from "@reprise/contracts";
import { selectOpenDecisions } from "@reprise/protocols/ag-ui";
import { loadCalls } from "../ai-sdk/load-calls.ts";
import type { HttpExchange } from "../host/route.ts";
import { deciderOf, hasScope } from "../security/principal.ts";
import { listBelow } from "../wire/runs-below.ts";

/** Decisions about calls of a run below the one that a client follows. */
export interface DecisionsBelow {
  readonly run: RunRecord;
  readonly decisions: readonly DecisionInput[];
}

export async function findDecisionsBelow(
  exchange: HttpExchange,
  run: RunRecord,
  decisions: readonly DecisionInput[],
): Promise<readonly DecisionsBelow[]> {
  const waiting = (await listBelow(exchange.runtime, run)).filter(({ status }) => status === "waiting");
  const found = await Promise.all(
    waiting.map(async (below) => {
      const calls = await loadCalls(exchange, { run_id: below.run_id, status: "suspended" });
      return { run: below, decisions: selectOpenDecisions(decisions, calls) };
    }),
  );
  return found.filter((each) => each.decisions.length > 0);
}

/** Stores the decisions; each continues its run, whose end continues the run above. */
export async function answerBelow(
  { runtime, principal }: HttpExchange,
  below: readonly DecisionsBelow[],
): Promise<true> {
  const options = { capBudget: !hasScope(principal, "admin"), ...deciderOf(principal) };
  for (const { run, decisions } of below) {
    const { agent_id, thread_id } = run;
    await runtime.submit({ agent_id, thread_id, origin: "ag_ui", messages: [], initial_decisions: decisions }, options);
  }
  return true;
}
