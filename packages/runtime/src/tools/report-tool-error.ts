import { activeAgentOf, describeThrown, type Env, redactCredentials, type ToolCallRecord } from "@reprise/contracts";
import type { RunView } from "../run/ports.ts";

/** A tool's code that threw, or took too long. */
export interface ToolErrorReport {
  readonly tenant: string;
  readonly threadId: string;
  readonly runId: string;
  readonly callId: string;
  readonly toolId: string;
  readonly agentId: string;
  /** As it was thrown: with its stack and its cause. It may hold secrets, which logs and models do not get. */
  readonly error: unknown;
}

/** Hears of every failure of a tool that the tool did not mean. Nothing it does reaches the run. */
export type OnToolError = (report: ToolErrorReport) => Promise<void> | void;

/** The parts of a run that a report of a failing tool names. */
export interface FailingRun extends Pick<RunView, "run" | "claim"> {
  readonly services: { readonly env: Pick<Env, "log">; readonly onToolError?: OnToolError | undefined };
}

/** The model is told what was thrown; the operator is told where. */
export function reportToolError(workspace: FailingRun, call: ToolCallRecord, error: unknown): void {
  const { services, claim, run } = workspace;
  const { env, onToolError } = services;
  const { thread_id, run_id } = run;
  const { call_id, tool_id } = call;
  const of = { thread_id, run_id, call_id, tool_id };
  env.log("error", "a tool failed", { ...of, problem: describeThrown(error), ...stackOf(error) });
  if (onToolError === undefined) return;
  const ids = { threadId: thread_id, runId: run_id, callId: call_id, toolId: tool_id, agentId: activeAgentOf(run) };
  void (async () => onToolError({ ...ids, tenant: claim.tenant, error }))().catch((thrown: unknown) => {
    env.log("error", "onToolError failed", { ...of, problem: describeThrown(thrown) });
  });
}

/** With the stacks of what caused it, as far as they are known. */
function stackOf(error: unknown): { readonly stack?: string } {
  const stacks: string[] = [];
  let thrown = error;
  try {
    while (thrown instanceof Error && stacks.length < MOST_CAUSES) {
      if (typeof thrown.stack === "string") stacks.push(thrown.stack.slice(0, LONGEST_STACK));
      thrown = thrown.cause;
    }
  } catch {
    // Even a stack can be a trap.
  }
  return stacks.length === 0 ? {} : { stack: redactCredentials(stacks.join("\nCaused by: ")) };
}

const MOST_CAUSES = 5;
const LONGEST_STACK = 8_192;
