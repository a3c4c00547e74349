import {
  type ContextFact,
  describeThrown,
  type InferenceOverride,
  type Message,
  type ModelRequest,
  type PhaseAction,
  RepriseError,
  type RequestTransform,
  type ToolDescriptor,
  toolFailure,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { freezeDeep } from "../json/freeze-deep.ts";
import { loaderOf } from "../media/blobs.ts";
import type { Owned } from "../resolve/resolved-agent.ts";
import type { AgentView, CallBook, Conversation, Host, Outside, RunView, StateAccess } from "../run/ports.ts";
import { stepIdOf } from "../thread/derived-ids.ts";
import { frameText } from "../thread/frame-text.ts";
import { placeMessage } from "../thread/place-message.ts";
import { frontendOf } from "../thread/run-state.ts";
import { toolMessage } from "../thread/tool-message.ts";
import type { PhaseResult } from "./run-phase.ts";

/** The parts of a run that a request to its model is made of. */
type AskingRun = RunView &
  Pick<AgentView, "agent"> &
  Pick<Conversation, "modelMessages"> &
  Pick<CallBook, "openCalls"> &
  Pick<StateAccess, "document"> &
  Outside &
  Host;

/** A request to a model, and what the plugins made of it. */
export interface Inference {
  readonly request: ModelRequest;
  /** Why the model may not call a tool in this step, although the agent has it; undefined for one that it may call. */
  refusalOf(toolId: string): string | undefined;
  /** Tools that the model was told about, ten at most; for a call of one that does not exist. */
  sayTold(): string;
  /** Tools that plugins excluded. */
  readonly excluded: readonly string[];
  /** The id of another model than the agent's, when a plugin chose one. */
  readonly model?: string;
  /** Those that stand in for it, when a plugin chose them too. */
  readonly fallbacks?: readonly string[];
  /** Whether the answer is held back until the plugins have seen it. */
  readonly isHeld?: boolean;
  /** Why the model is not to be asked at all. */
  readonly refusal?: RepriseError;
  /** The plugins' part in it, for the record; absent when they had none. */
  readonly fact?: ContextFact;
}

/** Puts together what the model is sent: the agent's words, the thread, and what the plugins add, hide and change. */
export function composeInference(
  workspace: AskingRun,
  actions: PhaseResult<"before_inference">,
  tools: readonly ToolDescriptor[],
): Inference {
  const { spec, modelSpec, installed } = workspace.agent;
  const { overrides: chosen = {} } = workspace.run;
  const override = mergeOverrides(actions);
  const model = override.model ?? chosen.model;
  const excluded = excludedTools(actions);
  const base: ModelRequest = {
    system: systemText(systemPrompt(workspace), actions),
    messages: withSessionContext(withPlaceholders(workspace), workspace, actions),
    tools: visibleTools(tools, actions, new Set(excluded)),
    options: {
      ...modelSpec?.chat_options,
      ...spec.chat_options,
      ...chosen.config?.chat_options,
      ...optionsOf(override),
    },
    ...(spec.output_schema !== undefined && { output_schema: { schema: spec.output_schema } }),
    load: loaderOf(workspace.services.blobs, workspace.claim.tenant),
    signal: workspace.signal,
  };
  const transforms = [...installed.transforms, ...addedTransforms(actions)];
  const request = transforms.length === 0 ? base : performTransforms(workspace, base, transforms);
  const fact = describeActions(actions, workspace.effects.loopVersion);
  return {
    request: { ...request, signal: workspace.signal },
    ...visibilityOf(tools, request.tools, actions, excluded),
    ...(model !== undefined && { model }),
    ...(override.fallback_models !== undefined && { fallbacks: override.fallback_models }),
    ...(actions.some(({ value }) => value.type === "hold_answer") && { isHeld: true }),
    ...(fact !== undefined && { fact }),
  };
}

/** The operator's words before plugins add to them: the run's own, or the agent's. */
export function systemPrompt({ run, agent }: Pick<AskingRun, "run" | "agent">): string {
  return run.overrides?.system_prompt ?? agent.spec.system_prompt;
}

/** Of a changed request the loop itself only looks at its tools. */
function performTransforms(
  { effects, run }: Outside & Pick<RunView, "run">,
  base: ModelRequest,
  transforms: readonly Owned<RequestTransform>[],
): ModelRequest {
  const encode = ({ tools }: ModelRequest): Json => tools.map(({ id }) => id);
  const decode = (stored: Json | undefined): ModelRequest => {
    const kept = Array.isArray(stored) ? stored : [];
    return { ...base, tools: base.tools.filter(({ id }) => kept.includes(id)) };
  };
  const question = { kind: "request", of: stepIdOf(run.run_id, run.steps), encode, decode } as const;
  return effects.note(question, () => transformRequest(base, transforms));
}

function systemText(prompt: string, actions: PhaseResult<"before_inference">): string {
  const added = actions.flatMap(({ value }) => (value.type === "add_system_context" ? [value.text] : []));
  return added.length === 0 ? prompt : [prompt, ...added].filter((text) => text !== "").join("\n\n");
}

/**
 * Session context stands at the end, where the model looks first and where it does not disturb what a provider has cached.
 * It is in the user's position and says who added it: it may come from anywhere.
 */
function withSessionContext(
  messages: readonly Message[],
  { run, document }: Pick<AskingRun, "run" | "document">,
  actions: PhaseResult<"before_inference">,
): readonly Message[] {
  const texts = new Map<string, { readonly plugin: string; readonly text: string }>();
  for (const [index, { plugin, value }] of actions.entries()) {
    if (value.type !== "add_session_context") continue;
    texts.set(value.key === undefined ? `#${index}` : `=${value.key}`, { plugin, text: value.text });
  }
  const given = frontendOf(document).context;
  if (texts.size + given.length === 0) return messages;
  const content = [
    ...given.map(({ description, value }) => frameText("context", "client", `${description}: ${value}`)),
    ...[...texts.values()].map(({ plugin, text }) => frameText("context", `plugin:${plugin}`, text)),
  ].join("\n");
  const context: Message = { id: `${run.run_id}-context`, role: "user", content, visibility: "internal" };
  return [...messages, context];
}

/** A call that waits for a decision while the model continues gets a placeholder as its result, which is not stored. */
function withPlaceholders(workspace: AskingRun): readonly Message[] {
  const messages = workspace.modelMessages();
  const { openCalls } = workspace;
  if (openCalls.length === 0) return messages;
  const placed = messages.slice();
  for (const { call_id, tool_id, run_id } of openCalls) {
    const pending = toolFailure(tool_id, "awaiting_decision", "The call waits for a decision. Its result will follow.");
    placeMessage(placed, toolMessage(call_id, run_id, { ...pending, status: "pending" }));
  }
  return placed;
}

/** Of several allow lists the union counts; what is excluded stays so. */
function visibleTools(
  tools: readonly ToolDescriptor[],
  actions: PhaseResult<"before_inference">,
  excluded: ReadonlySet<string>,
): readonly ToolDescriptor[] {
  let included: Set<string> | undefined;
  for (const { value } of actions) {
    if (value.type === "include_only_tools") included = new Set([...(included ?? []), ...value.tool_ids]);
  }
  if (included === undefined) return excluded.size === 0 ? tools : tools.filter(({ id }) => !excluded.has(id));
  const positions = positionsOf(tools);
  const shown: number[] = [];
  for (const id of included) {
    const position = positions.get(id);
    if (position !== undefined && !excluded.has(id)) shown.push(position);
  }
  return shown.sort((left, right) => left - right).flatMap((position) => tools[position] ?? []);
}

// A run offers the same array in every step, and it may have thousands of tools.
const known = new WeakMap<readonly ToolDescriptor[], ReadonlyMap<string, number>>();

/** Where each tool stands. A few tools of many are found without going through all of them. */
function positionsOf(tools: readonly ToolDescriptor[]): ReadonlyMap<string, number> {
  let positions = known.get(tools);
  if (positions === undefined) {
    positions = new Map(tools.map(({ id }, position) => [id, position]));
    known.set(tools, positions);
  }
  return positions;
}

/** A tool the model was not told about may not be called either. Only what the model calls is looked up: a catalogue may be large. */
function visibilityOf(
  offered: readonly ToolDescriptor[],
  told: readonly ToolDescriptor[],
  actions: PhaseResult<"before_inference">,
  excluded: readonly string[],
): Pick<Inference, "refusalOf" | "sayTold" | "excluded"> {
  const sayTold = (): string => {
    const named = told.slice(0, MOST_NAMED).map(({ id }) => id);
    const more = told.length - named.length;
    return `${named.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
  };
  if (offered === told) return { refusalOf: () => undefined, sayTold, excluded };
  const shown = new Set(told.map(({ id }) => id));
  const [advice] = actions.flatMap(({ value }) =>
    value.type === "include_only_tools" && value.advice !== undefined ? [value.advice] : [],
  );
  const refusalOf = (toolId: string): string | undefined => {
    if (shown.has(toolId) || !positionsOf(offered).has(toolId)) return undefined;
    const refusal = `Tool ${toolId} may not be used in this step.`;
    return advice === undefined || excluded.includes(toolId) ? refusal : `${refusal} ${advice}`;
  };
  return { refusalOf, sayTold, excluded };
}

const MOST_NAMED = 10;

function excludedTools(actions: PhaseResult<"before_inference">): readonly string[] {
  return actions.flatMap(({ value }) => (value.type === "exclude_tool" ? toolsNamedBy(value) : []));
}

function mergeOverrides(actions: PhaseResult<"before_inference">): InferenceOverride {
  const overrides = actions.flatMap(({ value }) => (value.type === "override_inference" ? [value.override] : []));
  return Object.assign({}, ...overrides);
}

function optionsOf({ model: _model, fallback_models: _fallbacks, ...options }: InferenceOverride): {
  readonly [key: string]: Json;
} {
  // An override is made of JSON; its interface hides that from the compiler.
  return options as { readonly [key: string]: Json };
}

/** What the plugins did to the request, and the sources they name. */
function describeActions(actions: PhaseResult<"before_inference">, loopVersion: number): ContextFact | undefined {
  if (actions.length === 0) return undefined;
  const refs = actions.flatMap(({ plugin, value }) =>
    "refs" in value ? (value.refs ?? []).map((ref) => ({ ...ref, plugin })) : [],
  );
  const omissions = actions.flatMap(({ plugin, value }) =>
    value.type === "note_context" ? (value.omissions ?? []).map((omission) => ({ ...omission, plugin })) : [],
  );
  return {
    contributions: actions.map(({ plugin, value }) => ({
      plugin,
      action: value.type,
      ...(loopVersion >= 2 && toolsOf(value)),
    })),
    ...(refs.length > 0 && { refs }),
    ...(omissions.length > 0 && { omissions }),
  };
}

function toolsOf(action: PhaseResult<"before_inference">[number]["value"]): { readonly tool_ids?: readonly string[] } {
  const isAboutTools = action.type === "exclude_tool" || action.type === "include_only_tools";
  return isAboutTools ? { tool_ids: toolsNamedBy(action) } : {};
}

function toolsNamedBy(action: PhaseAction<"exclude_tool" | "include_only_tools">): readonly string[] {
  return "tool_id" in action ? [action.tool_id] : action.tool_ids;
}

/** The transforms plugins added for this inference, after those they have for every one. */
function addedTransforms(actions: PhaseResult<"before_inference">): readonly Owned<RequestTransform>[] {
  return actions.flatMap(({ plugin, value }) =>
    value.type === "add_request_transform" ? [{ plugin, value: value.transform }] : [],
  );
}

/** Takes a request through transforms, in order. One that fails fails the run before the model is asked. */
function transformRequest(request: ModelRequest, transforms: readonly Owned<RequestTransform>[]): ModelRequest {
  let changed = request;
  for (const { plugin, value: transform } of transforms) {
    // What it is given is the thread's and the agent's: a transform answers with another request.
    for (const part of [changed.messages, changed.tools, changed.options]) freezeDeep(part);
    changed = apply(plugin, transform, changed);
  }
  return changed;
}

function apply(plugin: string, transform: RequestTransform, request: ModelRequest): ModelRequest {
  let changed: unknown;
  try {
    changed = transform(request);
  } catch (error) {
    throw failed(plugin, describeThrown(error), error);
  }
  if (isRequest(changed)) return changed;
  throw failed(plugin, "it did not return a request");
}

function isRequest(value: unknown): value is ModelRequest {
  return (
    typeof value === "object" &&
    value !== null &&
    "messages" in value &&
    Array.isArray(value.messages) &&
    "tools" in value &&
    Array.isArray(value.tools)
  );
}

function failed(plugin: string, problem: string, cause?: unknown): RepriseError {
  return new RepriseError("PLUGIN_FAILED", `Plugin ${plugin} failed to change the request: ${problem}`, {
    cause,
    details: { plugin },
  });
}
