import type { Json } from "@reprise/state";
import type { BudgetPolicy } from "../budget/budget.ts";

/** What one run may use, on top of what its agent may: deny wins. Absent lists allow all, empty ones none. */
export interface RunPolicy {
  readonly allowed_tools?: readonly string[];
  readonly excluded_tools?: readonly string[];
  readonly allowed_skills?: readonly string[];
  readonly excluded_skills?: readonly string[];
  readonly allowed_agents?: readonly string[];
  readonly excluded_agents?: readonly string[];
  /** What the run and all runs below it may spend. One below a run with a budget shares that one and has none of its own. */
  readonly budget?: BudgetPolicy;
  /** Somebody wants this one call made: no model is asked. Set by the runtime alone; refused from clients. */
  readonly by_hand?: HandCall;
}

/** A tool call that no model asked for. */
export interface HandCall {
  readonly tool_id: string;
  readonly arguments: Json;
}
