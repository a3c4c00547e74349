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
import { DELEGATION_TOOLS, delegateTools } from "./delegation-tools.ts";
import { sendMessage } from "./send-message.ts";
import { subAgents } from "./sub-agents.ts";

export interface AgentToolsOptions {
  /** Whether the model is told which agents there are. True unless given. */
  readonly advertiseCatalog?: boolean;
}

interface AgentToolsSettings {
  readonly advertise_catalog?: boolean;
}

const SETTINGS = objectOf<AgentToolsSettings>({
  advertise_catalog: optional(flag, "Whether the model is told which agents there are. True unless given."),
});

/**
 * Lets an agent have other agents work for it: the tools `agent_run`, `agent_stop`, `agent_output` and `send_message`, one tool per agent in `delegates`, and
 * the list of agents in every request. Which agents there are is up to the agent's lists and the run's policy.
 */
export function agentTools(options: AgentToolsOptions = {}): Plugin {
  const settings = definePluginSettings("agent_tools", SETTINGS, options);
  return definePlugin({
    id: "agent_tools",
    sections: settings.sections,
    states: [subAgents],
    tools: [...DELEGATION_TOOLS, sendMessage],
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
          return [...DELEGATION_TOOLS, ...unreachable, ...alone].map(hide);
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
      afterToolExecute: noteEnd,
    },
  });
}

/**
 * A call that waited for a run, or stopped it, has that run's end as its result. Noted here and not by the tool: calls that stop the same run
 * may overlap, and their changes would be a conflict.
 */
function noteEnd({
  call,
  result,
  state,
  agentSpec,
}: AfterToolExecuteContext): readonly ActionOf<"after_tool_execute">[] {
  // Any other tool may return what looks like the end of a run.
  const own = [...DELEGATION_TOOLS, ...delegatesOf(agentSpec).tools];
  if (!own.some(({ descriptor }) => descriptor.id === call.toolId)) return [];
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
const made = new WeakMap<readonly string[], Delegates>();

/** Made once for each list: the list of a spec never changes. */
function delegatesOf({ delegates = NONE }: AgentSpec): Delegates {
  let found = made.get(delegates);
  if (found === undefined) {
    const byAgent = delegateTools(delegates);
    found = { byAgent, tools: [...byAgent.values()] };
    made.set(delegates, found);
  }
  return found;
}
