import { changeState, type Plugin, suspendStep, terminateRun } from "@reprise/contracts";
import { objectOf, optional, wholeNumberFrom } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";
import { type Behavior, behavior } from "../permission/rule.ts";
import { definePluginSettings } from "../settings/plugin-settings.ts";

const ID = "agent_recovery";

/** The action of the question, for clients that show it in words of their own. */
const ACTION = "recover_agent_run";

export interface AgentRecoveryOptions {
  /** What becomes of a run below another one whose process died: it continues (`allow`), a person is asked (`ask`, the default), or it ends (`deny`). */
  readonly behavior?: Behavior;
  /** How long the question stays open. After that the run ends. Default: no limit. */
  readonly askExpiresInMs?: number;
}

interface AgentRecoverySettings {
  readonly behavior?: Behavior;
  readonly ask_expires_in_ms?: number;
}

const SETTINGS = objectOf<AgentRecoverySettings>({
  behavior: optional(
    behavior,
    "What becomes of a run below another one whose process died: it continues (allow), a person is asked (ask, the default), or it ends (deny).",
  ),
  ask_expires_in_ms: optional(wholeNumberFrom(1), "How long the question stays open; then the run ends."),
});

interface Recovery {
  /** The process of the run died, and nothing has been decided since. */
  readonly isOpen: boolean;
  /** How often a person was asked. Runs of earlier versions did not count. */
  readonly asked?: number;
}

/** Whether a run has to be decided about before its model is asked again. */
const recovery: StateDefinition<Recovery> & ActionCreators<{ lose: []; decide: [] }> = defineState({
  path: ID,
  scope: "run",
  initial: (): Recovery => ({ isOpen: false }),
  actions: {
    lose: (state) => ({ ...state, isOpen: true }),
    decide: ({ asked = 0 }) => ({ isOpen: false, asked: asked + 1 }),
  },
});

/**
 * The name under which a client can decide about it, knowing nothing but the run. Each recovery has its own: a decision about one that was sent
 * again is not about the next.
 */
function questionId(runId: string, number: number): string {
  return number === 1 ? `${ID}_${runId}` : `${ID}_${runId}_${number}`;
}

/**
 * Lets a person decide whether an agent that works for another one continues after its process died. Without the plugin it does, by itself. The
 * question comes before the next model call; calls that were interrupted are recovered before, as in every run.
 */
export function agentRecovery(options: AgentRecoveryOptions = {}): Plugin {
  const settings = definePluginSettings(ID, SETTINGS, options);
  return definePlugin({
    id: ID,
    sections: settings.sections,
    findSectionProblem: settings.findSectionProblem,
    states: [recovery],
    hooks: {
      runStart(context) {
        const { activation, parentRunId } = context;
        const isLost = activation === "recover" && parentRunId !== undefined;
        return isLost && settings.read(context).behavior !== "allow" ? [changeState(recovery.lose())] : [];
      },
      beforeInference(context) {
        const { state, runId, agentId, parentRunId = "" } = context;
        const { isOpen, asked = 0 } = state.get(recovery);
        if (!isOpen) return [];
        const { behavior: wanted, ask_expires_in_ms: expiresInMs } = settings.read(context);
        if (wanted === "deny")
          return [terminateRun("The process of the run died, and agent_recovery denies to continue it.")];
        const question = suspendStep({
          action: ACTION,
          message: `The process of run ${runId} of agent ${agentId} died. Continue the run?`,
          parameters: { run_id: runId, agent_id: agentId, parent_run_id: parentRunId },
          pending: { id: questionId(runId, asked + 1) },
          ...(expiresInMs !== undefined && { expiresInMs }),
        });
        return [changeState(recovery.decide()), question];
      },
    },
  });
}
