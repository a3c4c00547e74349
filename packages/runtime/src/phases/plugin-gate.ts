import {
  type AfterToolOutcome,
  type Decision,
  outcomeOf,
  type SuspendTicket,
  type Tool,
  type ToolCallRecord,
  type ToolResult,
  toolFailure,
} from "@reprise/contracts";
import { readResult } from "../json/read-result.ts";
import { ticketFor } from "../thread/ask-about.ts";
import { viewCall } from "./phase-view.ts";
import { type PhaseResult, type PhaseRun, runPhase } from "./run-phase.ts";

/** Why a call is not executed as the model asked for it. */
export type Objection =
  /** A gate refused it, or a plugin answered it. */
  | {
      readonly kind: "end";
      readonly by: "gate" | "plugin";
      /** The plugin that refused or answered, as `plugin:<id>`; absent when the runtime itself did. */
      readonly source?: string;
      readonly outcome: AfterToolOutcome;
      readonly trigger: "fail" | "succeed";
      readonly result: ToolResult;
    }
  | { readonly kind: "suspend"; readonly ticket: SuspendTicket };

/**
 * Asks the plugins about a call that is about to be executed. A refusal beats a question, a question beats an answer; of the
 * same kind the first plugin is heard. Undefined when no plugin objects.
 */
export async function askPlugins(
  workspace: PhaseRun,
  call: ToolCallRecord,
  tool: Tool,
  { decision, question }: { readonly decision?: Decision | undefined; readonly question?: SuspendTicket | undefined },
): Promise<Objection | undefined> {
  const { call_id, tool_id, suspension } = call;
  const facts = { call: viewCall(call), tool: tool.descriptor, decision, question };
  const asked = runPhase(workspace, "before_tool_execute", facts, `${call_id}-before-${suspension}`);
  const actions = asked instanceof Promise ? await asked : asked;
  if (actions.length === 0) return undefined;

  const [block] = actions.flatMap(({ plugin, value }) =>
    value.type === "block" ? [{ source: `plugin:${plugin}`, reason: value.reason }] : [],
  );
  if (block !== undefined) {
    const result = toolFailure(tool_id, "blocked", block.reason);
    return { kind: "end", by: "gate", outcome: "blocked", source: block.source, trigger: "fail", result };
  }
  const ticket = firstQuestion(
    actions.flatMap((action) => openQuestion(call, action) ?? []),
    workspace.effects.loopVersion,
  );
  if (ticket !== undefined) return { kind: "suspend", ticket };
  const [answer] = actions.flatMap(({ plugin, value }) =>
    value.type === "set_tool_result"
      ? [{ askedBy: `plugin:${plugin}`, result: readResult(tool_id, value.result, `The answer of plugin ${plugin}`) }]
      : [],
  );
  if (answer === undefined) return undefined;
  const { askedBy, result } = answer;
  if (result.status === "pending" && result.suspension !== undefined) {
    // A question in the form of an answer, and heard as often.
    if (call.answered?.includes(askedBy) === true) return undefined;
    return { kind: "suspend", ticket: { ...result.suspension, asked_by: askedBy } };
  }
  const outcome = outcomeOf(result);
  const trigger = outcome === "failed" ? "fail" : "succeed";
  return { kind: "end", by: "plugin", outcome, source: askedBy, trigger, result };
}

/**
 * Some questions only let the call continue; the answer to others is the call's result and ends the call. The first kind comes first:
 * otherwise a call could end without a permission that a plugin wanted. The first version of the loop took the first question of any kind.
 */
function firstQuestion(tickets: readonly SuspendTicket[], loopVersion: number): SuspendTicket | undefined {
  const [first] = tickets;
  if (loopVersion === 1) return first;
  return tickets.find(({ resume_mode }) => resume_mode !== "use_decision_as_tool_result") ?? first;
}

/** A plugin that asked about this call and was answered is not heard again, unless it insists. */
function openQuestion(
  call: ToolCallRecord,
  { plugin, value }: PhaseResult<"before_tool_execute">[number],
): SuspendTicket | undefined {
  if (value.type !== "suspend") return undefined;
  const askedBy = `plugin:${plugin}`;
  if (value.request.again !== true && call.answered?.includes(askedBy) === true) return undefined;
  return ticketFor(call, value.request, { askedBy, mode: "replay_tool_call" });
}
