import { activeAgentOf, agentPathOf, RepriseError, type ToolErrorCode } from "@reprise/contracts";
import type { PhaseResult } from "../phases/run-phase.ts";
import type { Commits, Conversation, EventSink, RunEditor } from "../run/ports.ts";
import { frameText } from "../thread/frame-text.ts";
import type { AskedHandoff } from "../tools/read-effect.ts";

/** Why a run cannot be handed to an agent. */
interface HandoffRefusal {
  readonly code: ToolErrorCode;
  readonly message: string;
}

const MAX_HANDOFFS = 10;

/**
 * Notes a handoff for the next boundary between steps. Returns why it is refused: agents that send a run back and forth would never end it, so
 * a run has a limited number of handoffs, and each pair of agents once in one direction.
 */
export function askForHandoff(
  workspace: Pick<RunEditor, "run" | "setRun">,
  { agent_id: to, message, max_handoffs = MAX_HANDOFFS }: AskedHandoff,
): HandoffRefusal | undefined {
  const { handoff } = workspace.run;
  const path = agentPathOf(workspace.run);
  const from = path.at(-1);
  if (to === from) return { code: "invalid_arguments", message: `Agent ${to} is the active agent already.` };
  if (handoff !== undefined) return { code: "denied", message: `Agent ${handoff.agent_id} is about to take over.` };
  const made = path.length - 1;
  if (made >= max_handoffs) {
    return {
      code: "handoff_limit",
      message: `The run was handed over ${made} times, and at most ${max_handoffs} are allowed.`,
    };
  }
  if (path.some((agent, index) => agent === from && path[index + 1] === to)) {
    const known = `Agent ${from} handed the run to ${to} before: ${path.join(" → ")}.`;
    return { code: "handoff_loop", message: `${known} Finish the work, or say what is missing.` };
  }
  workspace.setRun({ handoff: { agent_id: to, ...(message !== undefined && { message }) } });
  return undefined;
}

/** Takes the handoff that hooks ask for. The first plugin's counts. A refused one fails the run: a hook has no model to tell. */
export function takeHandoff(workspace: RunEditor, asked: PhaseResult<"run_start">): void {
  const first = asked.find(({ value }) => value.type === "hand_off");
  if (first?.value.type !== "hand_off" || workspace.run.handoff !== undefined) return;
  const { plugin, value } = first;
  const refusal = askForHandoff(workspace, value);
  if (refusal === undefined) return;
  const message = `Plugin ${plugin} cannot hand the run to ${value.agent_id}. ${refusal.message}`;
  throw new RepriseError("HANDOFF_REFUSED", message, { details: { plugin, reason: refusal.code } });
}

/** The run goes to the agent that it is to be handed to, in a commit of its own: from then on any process that has this agent continues it. */
export async function handOver(
  workspace: RunEditor & Pick<Conversation, "addMessage"> & EventSink & Commits,
): Promise<void> {
  const { handoff, definition: _pinned, overrides: _overrides, ...run } = workspace.run;
  if (handoff === undefined) return;
  const { agent_id: to, message } = handoff;
  const path = agentPathOf(run);
  const from = activeAgentOf(run);
  const agent_path = [...path, to];
  // What a client chose was for the agent that it named.
  workspace.replaceRun({ ...run, agent_path });
  const said = message === undefined ? "" : `\n\n${message}`;
  workspace.addMessage({
    id: `${run.run_id}-handoff-${path.length}`,
    role: "user",
    content: frameText("task", `agent:${from}`, `Agent ${from} handed this conversation over to you, ${to}.${said}`),
    visibility: "internal",
    metadata: { run_id: run.run_id, source: `agent:${from}` },
  });
  workspace.emitOnCommit("agent_handoff", { from, to, number: path.length });
  await workspace.commit("assistant_turn");
}

/** A run that ends is handed to no other agent. */
export function dropHandoff(workspace: RunEditor): void {
  const { handoff, ...run } = workspace.run;
  if (handoff !== undefined) workspace.replaceRun(run);
}
