import {
  type Plugin,
  RepriseError,
  type RunProgram,
  type StopPolicy,
  type Tool,
  type ToolDescriptor,
} from "@reprise/contracts";
import { getAt, type Json, type Path, type StateSlice, TOOL_CALL_SCOPE } from "@reprise/state";
import { readInputSchema } from "../define/input-schema.ts";
import { installPlugins } from "./installed-plugins.ts";
import type { RecordedDefinition, RecordedPlugin } from "./recorded-definition.ts";
import type { ResolvedAgent, ResolvedRunPlan } from "./resolved-agent.ts";

/** The plan an activation was recorded with. Every answer comes from the recording, so no part of it may be asked. */
export function recordedPlan(
  stored: Json,
  findProgram: (kind: string) => RunProgram | undefined = () => undefined,
): ResolvedRunPlan {
  const value: Json = typeof stored === "string" ? JSON.parse(stored) : stored;
  const backend = getAt(value, ["backend"]);
  // Written by `describePlan`.
  const definition = value as unknown as RecordedDefinition;
  if (getAt(value, ["composed"]) === true) return { kind: "composed", spec: definition.spec };
  const kind = getAt(value, ["program"]);
  if (typeof kind === "string") {
    const program = findProgram(kind);
    if (program === undefined) throw replayNeeds(kind);
    return { kind: "program", spec: definition.spec, program, definition: String(getAt(value, ["hash"])) };
  }
  if (backend === undefined) return { kind: "local", agent: recordedAgent(definition) };
  return {
    kind: "backend",
    spec: definition.spec,
    backend: { id: String(backend), check: untouched, run: untouched, cancel: untouched },
  };
}

function recordedAgent({ definition, spec, tools, plugins, stop_policies }: RecordedDefinition): ResolvedAgent {
  return {
    spec,
    model: { id: "", stream: untouched },
    // A recorded turn says whether its run waited.
    patienceMs: 0,
    installed: installPlugins(spec, plugins.map(recordedPlugin)),
    tools: new Map(tools.map((descriptor) => [descriptor.id, { ...UNTOUCHABLE, descriptor }])),
    stopPolicies: stop_policies.map(
      ({ id, needs_history }): StopPolicy => ({ id, needsHistory: needs_history, evaluate: untouched }),
    ),
    warnings: [],
    definition,
  };
}

/** A program is code of the framework: a replay runs it again, as it runs the loop. */
function replayNeeds(kind: string): RepriseError {
  const message = `The run was made by a program of the kind ${JSON.stringify(kind)}. Give that program to the replay (\`programs\`).`;
  return new RepriseError("REPLAY_IMPOSSIBLE", message, { details: { kind } });
}

function untouched(): never {
  throw new RepriseError("INTERNAL", "A replay asked something outside of its recording.");
}

/**
 * A tool of a source, as far as its descriptor tells it. A replay that asks today's code has its arguments checked against the schema
 * they were checked against then.
 */
export function recordedTool(descriptor: ToolDescriptor): Tool {
  return {
    descriptor,
    check: async (input) => readInputSchema(descriptor.id, descriptor.parameters).check(input ?? {}),
    needsApproval: async () => descriptor.needs_approval === true,
    execute: untouched,
  };
}

const UNTOUCHABLE: Omit<Tool, "descriptor"> = { check: untouched, needsApproval: untouched, execute: untouched };

function recordedPlugin(recorded: RecordedPlugin): Plugin {
  const scheduled = Object.entries(recorded.scheduled).map(([key, phase]) => [key, { phase, handle: untouched }]);
  return {
    id: recorded.id,
    hooks: Object.fromEntries(recorded.hooks.map((phase) => [phase, untouched])),
    states: recorded.states.map(recordedSlice),
    tools: [],
    sections: {},
    // Each key with the phase it was declared for; the table forgets which.
    scheduled: Object.fromEntries(scheduled) as Plugin["scheduled"],
    effects: Object.fromEntries(recorded.effects.map((key) => [key, untouched])),
    transforms: Array.from({ length: recorded.transforms }, () => untouched),
    ...(recorded.is_activated && { onActivate: untouched }),
    ...(recorded.has_tool_source && { toolSource: { list: untouched } }),
  };
}

/** A state of which only its place is known: what its reducer made is recorded. */
function recordedSlice({ name, path, scope, version }: RecordedPlugin["states"][number]): StateSlice {
  return {
    name,
    path,
    scope,
    version,
    lattices: [],
    actionNames: [],
    initial: () => null,
    pathIn: (callId = ""): Path => (scope === "tool_call" ? [TOOL_CALL_SCOPE, callId, ...path] : path),
    reduce: untouched,
    migrate: untouched,
  };
}
