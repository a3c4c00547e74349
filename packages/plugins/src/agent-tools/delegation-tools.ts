import {
  awaitRun,
  type ChildRun,
  changeState,
  type MarkedEffect,
  type MarkedResult,
  type NewChildRun,
  RepriseError,
  type Tool,
  type ToolContext,
  toolEffect,
} from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import type { JsonObject } from "@reprise/state";
import { isOver } from "../runs-below/known-runs.ts";
import { isOutside, missingScope, refuse } from "../runs-below/refuse.ts";
import { refusalOf, unknownRun } from "./refusal.ts";
import { type SubAgent, subAgents } from "./sub-agents.ts";
import { LIMITS_ARGUMENT, type TaskLimits, toRunLimits } from "./task-limits.ts";

/** Reads the limits that hold for every task of an agent. */
export type ReadLimits = (context: Pick<ToolContext, "section">) => TaskLimits | undefined;

interface StartArguments {
  readonly prompt: string;
  readonly background?: boolean;
  readonly limits?: TaskLimits;
}

interface RunArguments extends Partial<StartArguments> {
  readonly agent_id?: string;
  readonly run_id?: string;
  readonly fork_context?: boolean;
}

const BACKGROUND = {
  type: "boolean",
  description: "True: returns at once, and the task reports when it is over. False, the default: waits for the answer.",
} as const;

/** A tool that starts tasks. Executed again after a crash, a call finds the run that it started before. */
const STARTING = {
  idempotent: true,
  // Calls of one turn start their runs beside each other.
  recursive: true,
} as const;

/** The tool that starts and continues tasks. */
export function createAgentRun(readLimits: ReadLimits): Tool {
  return defineTool({
    id: "agent_run",
    description:
      "Has another agent work on a task. Give agent_id and prompt to start; give run_id of an earlier task, with or without a prompt, to continue it or to see how it stands.",
    inputSchema: objectSchema({
      agent_id: { type: "string", description: "One of the available agents." },
      prompt: { type: "string", description: "The task, with everything the agent needs to know." },
      run_id: { type: "string", description: "An earlier task." },
      fork_context: {
        type: "boolean",
        description: "True: the agent also gets this conversation and its state. False, the default: only the prompt.",
      },
      background: BACKGROUND,
      limits: LIMITS_ARGUMENT,
    }),
    ...STARTING,
    async execute(given: RunArguments, context) {
      if (isOutside(context)) return missingScope("agent_run");
      const { agent_id, prompt, run_id, fork_context: forkContext = false } = given;
      const options = optionsOf(given, readLimits(context));
      if (run_id !== undefined) return continueRun({ ...given, run_id }, options, context);
      if (agent_id === undefined || prompt === undefined)
        return refuse("agent_run", { code: "invalid_arguments", message: "Give agent_id and prompt, or run_id." });
      return startRun("agent_run", { agentId: agent_id, prompt, forkContext, ...options }, context);
    },
  });
}

async function continueRun(
  { run_id, agent_id, prompt, fork_context: forkContext }: RunArguments & { readonly run_id: string },
  options: StartOptions,
  context: ToolContext,
): Promise<MarkedEffect | MarkedResult | JsonObject> {
  if (forkContext === true) {
    const message = "Only a new task gets this conversation: one with run_id has its own. Leave out fork_context.";
    return refuse("agent_run", { code: "invalid_arguments", message });
  }
  const earlier = await loadRun(run_id, context);
  if (earlier === undefined) return unknownRun("agent_run", run_id);
  const { agentId, threadId } = earlier;
  if (agent_id !== undefined && agent_id !== agentId) {
    const message = `The task ${run_id} belongs to the agent ${agentId}, not to ${JSON.stringify(agent_id)}.`;
    return refuse("agent_run", { code: "invalid_arguments", message });
  }
  if (!isOver(earlier)) {
    if (prompt === undefined) return summarise(earlier);
    const message = `The task ${run_id} is not over, so it takes no prompt. Wait until it is over, or stop it first.`;
    return refuse("agent_run", { code: "invalid_state", message });
  }
  if (prompt === undefined && earlier.status !== "stopped") return summarise(earlier);
  const more = prompt ?? "Continue with the task where you stopped.";
  return startRun("agent_run", { agentId, threadId, prompt: more, ...options }, context);
}

type StartOptions = Pick<NewChildRun, "background" | "limits" | "standingLimits">;

/** The limits that the model asked for count as far as those of the agent allow it. */
function optionsOf(
  { background = false, limits: asked }: Pick<StartArguments, "background" | "limits">,
  standing: TaskLimits | undefined,
): StartOptions {
  return {
    background,
    ...(asked !== undefined && { limits: toRunLimits(asked) }),
    ...(standing !== undefined && { standingLimits: toRunLimits(standing) }),
  };
}

/** Starts a run, and has the call wait for it unless it is one in the background. */
async function startRun(tool: string, child: NewChildRun, { runs }: ToolContext): Promise<MarkedEffect | MarkedResult> {
  let started: ChildRun;
  try {
    started = await runs.start(child);
  } catch (error) {
    const refusal = RepriseError.is(error) ? refusalOf(error) : undefined;
    if (refusal === undefined) throw error;
    return refuse(tool, refusal);
  }
  const result = child.background === true ? summarise(started) : awaitRun(started);
  return toolEffect(result, [note(started, child.background)]);
}

export const agentStop: Tool = defineTool({
  id: "agent_stop",
  description: "Stops a task that another agent works on, and all tasks below it.",
  inputSchema: objectSchema({ run_id: { type: "string" } }, "run_id"),
  idempotent: true,
  // All runs of a tree share one slot for changes. The task to stop may hold it.
  recursive: true,
  async execute({ run_id }: { readonly run_id: string }, context) {
    if (isOutside(context)) return missingScope("agent_stop");
    const child = await loadRun(run_id, context);
    if (child === undefined) return unknownRun("agent_stop", run_id);
    if (isOver(child)) return summarise(child);
    await context.runs.cancel(run_id);
    return summarise({ ...child, status: "stopped" });
  },
});

export const agentOutput: Tool = defineTool({
  id: "agent_output",
  description: "Reads how a task of another agent stands, and its answer once it is over.",
  inputSchema: objectSchema({ run_id: { type: "string" } }, "run_id"),
  class: "read_only",
  async execute({ run_id }: { readonly run_id: string }, context) {
    if (isOutside(context)) return missingScope("agent_output");
    const child = await loadRun(run_id, context);
    if (child === undefined) return unknownRun("agent_output", run_id);
    return { ...summarise(child), output: child.output ?? null };
  },
});

/** A run of another agent that this thread started. Calls in the background are none. */
async function loadRun(runId: string, { runs }: ToolContext): Promise<ChildRun | undefined> {
  const run = await runs.load(runId);
  return run?.toolId === undefined ? run : undefined;
}

/** A tool for each agent, by the ids of the agents. Tools whose names would be the same are numbered. */
export function createDelegates(agentIds: readonly string[], readLimits: ReadLimits): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  const taken = new Set<string>();
  for (const agentId of new Set(agentIds)) {
    const name = `agent_run_${agentId.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`.slice(0, MAX_NAME_LENGTH);
    let id = name;
    for (let number = 2; taken.has(id); number++) id = `${name.slice(0, MAX_NAME_LENGTH - 4)}_${number}`;
    taken.add(id);
    tools.set(agentId, createDelegate(id, agentId, readLimits));
  }
  return tools;
}

/** What every provider takes. */
const MAX_NAME_LENGTH = 64;

function createDelegate(id: string, agentId: string, readLimits: ReadLimits): Tool {
  return defineTool({
    id,
    description: `Has the agent ${agentId} work on a task.`,
    inputSchema: objectSchema(
      { prompt: { type: "string" }, background: BACKGROUND, limits: LIMITS_ARGUMENT },
      "prompt",
    ),
    ...STARTING,
    async execute(given: StartArguments, context) {
      if (isOutside(context)) return missingScope(id);
      return startRun(id, { agentId, prompt: given.prompt, ...optionsOf(given, readLimits(context)) }, context);
    },
  });
}

function objectSchema(properties: { readonly [name: string]: JsonObject }, ...required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

function summarise({ runId, agentId, status, error }: ChildRun) {
  return { run_id: runId, agent_id: agentId, status, error: error ?? null };
}

function note({ runId, agentId, threadId, status, error }: ChildRun, isBackground?: boolean) {
  const known: SubAgent = {
    agent_id: agentId,
    thread_id: threadId,
    status,
    ...(isBackground === true && { background: true }),
    ...(error !== undefined && { error }),
  };
  return changeState(subAgents.note(runId, known));
}
