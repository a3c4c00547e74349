import {
  type HookActions,
  type LanguageModel,
  type Phase,
  type Plugin,
  RepriseError,
  type RequestTransform,
  type StopPolicy,
  type StoppedReason,
  type Tool,
} from "@reprise/contracts";
import { getAt, type Path, type StateSlice, TOOL_CALL_SCOPE } from "@reprise/state";
import { createExecutionEnv } from "../resolve/execution-env.ts";
import type { ResolvedAgent } from "../resolve/resolved-agent.ts";
import { stopPlace } from "../stop/evaluate-stop.ts";
import { decodeFailure } from "./failure.ts";
import { decodeAction, NOTE } from "./notes.ts";
import type { Playback } from "./playback.ts";
import type { RecordedDefinition, RecordedPlugin } from "./recording.ts";
import type { ReplayWitness } from "./replay-witness.ts";

/** What a recorded agent hands back comes from here. */
export interface AgentPlayback {
  readonly playback: Playback;
  readonly witness: ReplayWitness;
}

/**
 * An agent of the recorded shape whose every part hands back what it answered when the run was recorded. No code of an author is in
 * it, so none can be touched.
 */
export function recordedAgent(recorded: RecordedDefinition, source: AgentPlayback): ResolvedAgent {
  const { spec } = recorded;
  const env = createExecutionEnv(
    spec,
    recorded.plugins.map((plugin) => recordedPlugin(plugin, source)),
  );
  return {
    spec,
    model: silentModel(source),
    env: { ...env, transforms: [{ plugin: "replay", value: hideTools(source) }] },
    tools: new Map(recorded.tools.map((descriptor) => [descriptor.id, { ...untouchable, descriptor }])),
    stopPolicies: recorded.stop_policies.map(({ id, needs_history }) => recordedPolicy(id, needs_history, source)),
    warnings: [],
    get definition() {
      const { runs, run_id } = source.playback.expected.changeset;
      return runs.find((row) => row.run_id === run_id)?.definition ?? recorded.definition;
    },
  };
}

/** What transforms did to a request can be seen in what tools the model could not call. */
function hideTools({ playback }: AgentPlayback): RequestTransform {
  return (request) => {
    // The step was shown to begin just before.
    const step = playback.expected.shown[playback.position - 1]?.step_id ?? "";
    const hidden = playback.note(NOTE.hidden, step);
    if (!Array.isArray(hidden)) return request;
    return { ...request, tools: request.tools.filter(({ id }) => !hidden.includes(id)) };
  };
}

/** Named as it was when it was recorded; never asked. */
function silentModel({ playback }: AgentPlayback): LanguageModel {
  return {
    get id() {
      const { held, shown } = playback.expected;
      const step = shown[playback.position - 1]?.step_id;
      const event = held.find(({ type, step_id }) => type === "inference_complete" && step_id === step);
      return event?.type === "inference_complete" ? event.data.model : "";
    },
    stream: () => {
      throw new RepriseError("INTERNAL", "A replay asked a model.");
    },
  };
}

const untouchable: Omit<Tool, "descriptor"> = {
  check: () => touched("checked"),
  needsApproval: () => touched("asked about"),
  execute: () => touched("executed"),
};

function touched(how: string): Promise<never> {
  return Promise.reject(new RepriseError("INTERNAL", `A replay ${how} a tool.`));
}

function recordedPolicy(id: string, needsHistory: boolean, { playback }: AgentPlayback): StopPolicy {
  return {
    id,
    needsHistory,
    evaluate(input) {
      const noted = playback.isComplete ? undefined : playback.expected.peek(NOTE.stop, stopPlace(input));
      if (noted === undefined || getAt(noted, ["policy"]) !== id) return undefined;
      const problem = getAt(noted, ["problem"]);
      if (problem !== undefined) throw new Error(String(problem));
      // Noted by the live witness, from a policy.
      return getAt(noted, ["reason"]) as unknown as StoppedReason;
    },
  };
}

function recordedPlugin(recorded: RecordedPlugin, source: AgentPlayback): Plugin {
  const { id } = recorded;
  const answer = <In extends Phase>(): HookActions<In> | Promise<HookActions<In>> => answerOf<In>(id, source);
  const hooks = Object.fromEntries(recorded.hooks.map((phase) => [phase, answer]));
  const scheduled = Object.entries(recorded.scheduled).map(([key, phase]) => [key, { phase, handle: answer }]);
  const fail = (): void => {
    const failed = failureOf(id, source);
    if (failed !== undefined) throw failed;
  };
  return {
    id,
    hooks,
    states: recorded.states.map(recordedSlice),
    tools: [],
    sections: {},
    // Each key with the phase it was declared for; the table forgets which.
    scheduled: Object.fromEntries(scheduled) as Plugin["scheduled"],
    effects: Object.fromEntries(recorded.effects.map((key) => [key, () => undefined])),
    transforms: [],
    ...(recorded.is_activated && { onActivate: fail }),
  };
}

/** What a hook said; nothing, unless it was noted. One that was interrupted never answers. */
function answerOf<In extends Phase>(plugin: string, source: AgentPlayback): HookActions<In> | Promise<HookActions<In>> {
  const { playback, witness } = source;
  const index = witness.asked++;
  const failed = failureOf(plugin, source);
  if (failed !== undefined) throw failed;
  const answers = playback.isComplete ? undefined : playback.expected.peek(NOTE.phase(witness.phase), "answers");
  const given = Array.isArray(answers) ? answers.find((answer) => getAt(answer, [0]) === index) : undefined;
  if (given === undefined) {
    if (!playback.isCancelDue) return undefined;
    playback.cancel();
    return new Promise(() => undefined);
  }
  const actions = getAt(given, [1]);
  if (!Array.isArray(actions)) {
    playback.impossible ??= `plugin ${plugin} asked for something that is not JSON`;
    throw new Error("It asked for something that is not JSON.");
  }
  // Noted of a hook of this very phase.
  return actions.map(decodeAction) as unknown as HookActions<In>;
}

function failureOf(plugin: string, { playback, witness }: AgentPlayback): Error | undefined {
  const noted = playback.isComplete ? undefined : playback.expected.peek(NOTE.phase(witness.phase), "failed");
  if (!Array.isArray(noted) || noted[0] !== plugin) return undefined;
  return decodeFailure(noted[1] ?? null);
}

/** A state of which only its place is known: what becomes of it is recorded. */
function recordedSlice({ name, path, scope }: RecordedPlugin["states"][number]): StateSlice {
  return {
    name,
    path,
    scope,
    lattices: [],
    actionNames: [],
    initial: () => null,
    pathIn: (callId = ""): Path => (scope === "tool_call" ? [TOOL_CALL_SCOPE, callId, ...path] : path),
    reduce: () => {
      throw new RepriseError("INTERNAL", "A replay asked a reducer.");
    },
  };
}
