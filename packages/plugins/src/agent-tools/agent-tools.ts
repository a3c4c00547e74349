import {
  type ActionOf,
  type AfterToolExecuteContext,
  type AgentSpec,
  addSessionContext,
  changeState,
  excludeTool,
  type Plugin,
  type Tool,
} from "@reprise/contracts";
import { flag, objectOf, optional } from "@reprise/contracts/shape";
import { definePlugin } from "@reprise/runtime";
import { getAt } from "@reprise/state";
import { boundRuns, findChanges, isOver } from "../runs-below/known-runs.ts";
import { definePluginSettings } from "../settings/plugin-settings.ts";
import { describeAgents, describeBackground } from "./agent-catalogue.ts";
import { agentOutput, agentStop, createAgentRun, createDelegates, type ReadLimits } from "./delegation-tools.ts";
import { sendMessage } from "./send-message.ts";
import { subAgents } from "./sub-agents.ts";
import { TASK_LIMITS, type TaskLimits } from "./task-limits.ts";

export interface AgentToolsOptions {
  /** Whether the model is told which agents there are. True unless given. */
  readonly advertiseCatalog?: boolean;
  /** The most that each task may take, with everything below it. A model can ask for less. */
  readonly limits?: TaskLimitOptions;
}

/** Limits of a task. They are set aside in the budget of the run that starts it, if it has one. */
export interface TaskLimitOptions {
  /** Prompt and completion tokens together. */
  readonly tokens?: number;
  /** In dollars. */
  readonly cost?: number;
  readonly toolCalls?: number;
  readonly seconds?: number;
}

interface AgentToolsSettings {
  readonly advertise_catalog?: boolean;
  readonly limits?: TaskLimits;
}

const SETTINGS = objectOf<AgentToolsSettings>({
  advertise_catalog: optional(flag, "Whether the model is told which agents there are. True unless given."),
  limits: optional(
    TASK_LIMITS,
    "The most that each task may take, with everything below it. A model can ask for less.",
  ),
});

/**
 * Lets an agent have other agents work for it: the tools `agent_run`, `agent_stop`, `agent_output` and `send_message`, one tool per agent in `delegates`, and
 * the list of agents in every request. Which agents there are is up to the agent's lists and the run's policy.
 */
export function agentTools(options: AgentToolsOptions = {}): Plugin {
  const settings = definePluginSettings("agent_tools", SETTINGS, options);
  const readLimits: ReadLimits = (context) => settings.read(context).limits;
  const delegationTools = [createAgentRun(readLimits), agentStop, agentOutput];
  const delegatesOf = createDelegateLists(readLimits);
  return definePlugin({
    id: "agent_tools",
    sections: settings.sections,
    states: [subAgents],
    tools: [...delegationTools, sendMessage],
    toolSource: { list: ({ agentSpec }) => delegatesOf(agentSpec).tools },
    hooks: {
      async beforeInference(context) {
        const { agents, agentSpec, state, findRun } = context;
        const { runs: known } = state.get(subAgents);
        const unreachable = [...delegatesOf(agentSpec).byAgent].flatMap(([agentId, tool]) =>
          agents.some(({ id }) => id === agentId) ? [] : tool,
        );
        if (agents.length === 0 && Object.keys(known).length === 0) {
          // A run that another one started can still talk to it.
          const alone = context.parentRunId === undefined ? [sendMessage] : [];
          return [...delegationTools, ...unreachable, ...alone].map(hide);
        }
        const changed = await findChanges(known, findRun);
        const background = describeBackground({ ...known, ...changed });
        const { advertise_catalog: isAdvertised = true } = settings.read(context);
        return [
          ...unreachable.map(hide),
          ...Object.entries(changed).map(([runId, run]) => changeState(subAgents.note(runId, run))),
          ...(boundRuns(known) === known ? [] : [changeState(subAgents.forget())]),
          ...(isAdvertised && agents.length > 0 ? [addSessionContext(describeAgents(agents), "agents")] : []),
          ...(background === undefined ? [] : [addSessionContext(background, "background_agents")]),
        ];
      },
      afterToolExecute: (context) => {
        // Any other tool may return what looks like the end of a run.
        const own = [...delegationTools, ...delegatesOf(context.agentSpec).tools];
        return own.some(({ descriptor }) => descriptor.id === context.call.toolId) ? noteEnd(context) : [];
      },
    },
  });
}

/**
 * A call that waited for a run, or stopped it, has that run's end as its result. Noted here and not by the tool: calls that stop the same run
 * may overlap, and their changes would be a conflict.
 */
function noteEnd({ result, state }: AfterToolExecuteContext): readonly ActionOf<"after_tool_execute">[] {
  const runId = getAt(result.data, ["run_id"]);
  const status = getAt(result.data, ["status"]);
  const { runs: known } = state.get(subAgents);
  const run = typeof runId === "string" && Object.hasOwn(known, runId) ? known[runId] : undefined;
  if (run === undefined || typeof runId !== "string" || isOver(run)) return [];
  if (status !== "completed" && status !== "failed" && status !== "stopped") return [];
  const error = getAt(result.data, ["error"]);
  return [changeState(subAgents.note(runId, { ...run, status, ...(typeof error === "string" && { error }) }))];
}

function hide({ descriptor }: Tool): ActionOf<"before_inference"> {
  return excludeTool(descriptor.id);
}

interface Delegates {
  readonly byAgent: ReadonlyMap<string, Tool>;
  /** The same array for the same list, by which the runtime sees that nothing changed. */
  readonly tools: readonly Tool[];
}

const NONE: readonly string[] = [];

/** Made once for each list: the list of a spec never changes. */
function createDelegateLists(readLimits: ReadLimits): (spec: AgentSpec) => Delegates {
  const made = new WeakMap<readonly string[], Delegates>();
  return ({ delegates = NONE }) => {
    let found = made.get(delegates);
    if (found === undefined) {
      const byAgent = createDelegates(delegates, readLimits);
      found = { byAgent, tools: [...byAgent.values()] };
      made.set(delegates, found);
    }
    return found;
  };
}
