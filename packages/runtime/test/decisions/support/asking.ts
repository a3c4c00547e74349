import {
  type DecisionVerb,
  type ResumeMode,
  suspendCall,
  suspendTool,
  type Tool,
  type ToolContext,
  toolPending,
  toolResult,
} from "@reprise/contracts";
import { type AgentDefinition, definePlugin } from "@reprise/runtime";
import { countingTool, notes } from "../../support/tools.ts";

/** Who suspends a call: its approval rule, a plugin, the tool in its own words, or the tool with a whole result. */
export const ASKERS = ["approval", "plugin", "tool", "pending result"] as const;
export type Asker = (typeof ASKERS)[number];

export const MODES: readonly ResumeMode[] = [
  "replay_tool_call",
  "use_decision_as_tool_result",
  "pass_decision_to_tool",
];

export const VERBS: readonly DecisionVerb[] = [
  { action: "approve" },
  { action: "deny", reason: "Not today." },
  { action: "edit", arguments: { title: "edited" } },
  { action: "supply", result: { supplied: true } },
];

/** Who asks in what way. An approval has one way. */
export const WAYS: readonly (readonly [Asker, ResumeMode])[] = ASKERS.flatMap((asker) =>
  MODES.filter((mode) => asker !== "approval" || mode === "replay_tool_call").map((mode) => [asker, mode] as const),
);

export interface Asking {
  readonly tool: Tool;
  /** The keys of the executions that went past the question. */
  readonly done: readonly string[];
  /** Everything beside the tool an agent needs to ask. */
  readonly agent: Partial<Pick<AgentDefinition, "plugins">>;
}

/** The tool `add`, that is asked about in some way before it notes its title. */
export function askingTool(asker: Asker, mode: ResumeMode): Asking {
  const done: string[] = [];
  const { tool } = countingTool({
    needsApproval: asker === "approval",
    execute(input, context) {
      if (context.decision === undefined && asker === "tool") {
        return suspendTool({ action: "tool:add", resumeMode: mode });
      }
      if (context.decision === undefined && asker === "pending result") return pendingResult(input, context, mode);
      done.push(context.idempotencyKey);
      context.state.apply(notes.add(input.title));
      return { noted: input.title, told: context.decision?.result ?? null };
    },
  });
  const guard = definePlugin({
    id: "guard",
    hooks: { beforeToolExecute: ({ call }) => asksAbout(call.toolId, mode) },
  });
  return { tool, done, agent: asker === "plugin" ? { plugins: [guard] } : {} };
}

function asksAbout(toolId: string, mode: ResumeMode) {
  return toolId === "add" ? [suspendCall({ action: "guard", resumeMode: mode })] : [];
}

function pendingResult(input: { title: string }, { identity }: ToolContext, mode: ResumeMode) {
  return toolResult(
    toolPending("add", {
      suspension: { id: `${identity.callId}-mine`, action: "tool:add" },
      pending: { id: `${identity.callId}-outside`, name: "add", arguments: input },
      resume_mode: mode,
    }),
  );
}

/** What a decision must come to. */
export interface Expected {
  readonly status: "succeeded" | "failed" | "cancelled";
  /** The result as the model reads it; for a denial a part of it. */
  readonly text: string;
  /** What the tool noted. */
  readonly noted: readonly string[];
}

/** The table: what becomes of a call by the way it was asked about and by what was decided. */
export function expectedOf(mode: ResumeMode, verb: DecisionVerb): Expected {
  if (verb.action === "deny") return { status: "cancelled", text: "denied", noted: [] };
  if (mode === "use_decision_as_tool_result") {
    const answer = verb.action === "supply" ? verb.result : null;
    return { status: "succeeded", text: JSON.stringify(answer), noted: [] };
  }
  if (verb.action === "supply" && mode === "replay_tool_call") {
    return { status: "succeeded", text: JSON.stringify(verb.result), noted: [] };
  }
  const title = verb.action === "edit" ? "edited" : "asked";
  const told = verb.action === "supply" ? verb.result : null;
  return { status: "succeeded", text: JSON.stringify({ noted: title, told }), noted: [title] };
}
