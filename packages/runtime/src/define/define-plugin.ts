import {
  type EffectHandler,
  type InheritanceContext,
  type Observe,
  type PhaseContext,
  type PhaseHooks,
  type Plugin,
  type PluginPart,
  RepriseError,
  type RequestTransform,
  type ScheduledHandler,
  type Tool,
  type ToolSource,
  type ToolSourceView,
  type ToolWrapperView,
} from "@reprise/contracts";
import type { Json, JsonObject, StateAction, StateSlice } from "@reprise/state";
import { assertKnownKeys, type KeysOf } from "./assert-known-keys.ts";

/** The hooks as authors write them: one function per phase, each returning that phase's actions. */
export interface PluginHooks {
  readonly runStart?: NonNullable<PhaseHooks["run_start"]>;
  readonly stepStart?: NonNullable<PhaseHooks["step_start"]>;
  readonly beforeInference?: NonNullable<PhaseHooks["before_inference"]>;
  readonly afterInference?: NonNullable<PhaseHooks["after_inference"]>;
  readonly stepEnd?: NonNullable<PhaseHooks["step_end"]>;
  readonly beforeToolExecute?: NonNullable<PhaseHooks["before_tool_execute"]>;
  readonly afterToolExecute?: NonNullable<PhaseHooks["after_tool_execute"]>;
  readonly runEnd?: NonNullable<PhaseHooks["run_end"]>;
}

/** The definition of a plugin in code. */
export interface PluginDefinition {
  readonly id: string;
  readonly hooks?: PluginHooks;
  /** States the plugin owns: only it, tools it brings, and those who import its actions can change them. */
  readonly states?: readonly StateSlice[];
  readonly tools?: readonly Tool[];
  /** Tools that are not known yet, or change while the process runs. */
  readonly toolSource?: ToolSource;
  /** Changes a tool of the agent before any run sees it; returns the tool itself to leave it as it is. Pure, and the id stays. */
  wrapTool?(tool: Tool, view: ToolWrapperView): Tool;
  /** Sections of an agent's configuration, with their JSON Schema. */
  readonly sections?: { readonly [key: string]: JsonObject };
  /** Says what is wrong with a section that fits its schema, where a schema cannot say it. Asked when an agent is resolved. */
  findSectionProblem?(key: string, section: Json): string | undefined;
  readonly scheduled?: { readonly [key: string]: ScheduledHandler };
  readonly effects?: { readonly [key: string]: EffectHandler };
  readonly transforms?: readonly RequestTransform[];
  onActivate?(context: PhaseContext): Promise<void> | void;
  onDeactivate?(context: PhaseContext): Promise<void> | void;
  /** What a run below starts with: an action on one of the plugin's states, of the scope `run`. The plugin takes part in that run too. */
  inherit?(context: InheritanceContext): Promise<StateAction | undefined> | StateAction | undefined;
  /** Watches each activation of a run beside the loop: its committed events, its model calls and its tools. Never in a replay. */
  readonly observe?: Observe;
  /** The trace of the code that starts a run, in the form of W3C Trace Context. Kept with the run. */
  readonly traceparent?: () => string | undefined;
  /** The `tracestate` that goes with it. */
  readonly tracestate?: () => string | undefined;
  /** What the plugin brings to an agent beside its tools, and how that is doing. Asks nobody: it tells what is known now. */
  parts?(view: ToolSourceView): Promise<readonly PluginPart[]> | readonly PluginPart[];
  /** Ends processes and connections when the runtime closes. Idempotent. */
  close?(): Promise<void> | void;
}

const PLUGIN_KEYS: KeysOf<PluginDefinition> = {
  id: true,
  hooks: true,
  states: true,
  tools: true,
  toolSource: true,
  wrapTool: true,
  sections: true,
  findSectionProblem: true,
  scheduled: true,
  effects: true,
  transforms: true,
  onActivate: true,
  onDeactivate: true,
  inherit: true,
  observe: true,
  traceparent: true,
  tracestate: true,
  parts: true,
  close: true,
};

const HOOK_KEYS: KeysOf<PluginHooks> = {
  runStart: true,
  stepStart: true,
  beforeInference: true,
  afterInference: true,
  stepEnd: true,
  beforeToolExecute: true,
  afterToolExecute: true,
  runEnd: true,
};

const PLUGIN_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Describes a plugin. Mistakes in the description are reported here, before anything runs. */
export function definePlugin(definition: PluginDefinition): Plugin {
  const { id, hooks = {}, states = [], tools = [], sections = {}, scheduled = {}, effects = {} } = definition;
  if (!PLUGIN_ID.test(id)) {
    throw new RepriseError(
      "INVALID_DEFINITION",
      `A plugin id must have 1 to 128 letters, digits or _ . : - (got ${JSON.stringify(id)}).`,
    );
  }
  assertKnownKeys(`plugin ${id}`, definition, PLUGIN_KEYS);
  assertKnownKeys(`the hooks of plugin ${id}`, hooks, HOOK_KEYS);
  return Object.freeze({
    id,
    hooks: phaseHooks(hooks),
    states,
    tools,
    ...(definition.toolSource !== undefined && { toolSource: definition.toolSource }),
    ...(definition.wrapTool !== undefined && { wrapTool: definition.wrapTool.bind(definition) }),
    sections,
    scheduled,
    effects,
    transforms: definition.transforms ?? [],
    ...(definition.findSectionProblem !== undefined && {
      findSectionProblem: definition.findSectionProblem.bind(definition),
    }),
    ...(definition.onActivate !== undefined && { onActivate: definition.onActivate.bind(definition) }),
    ...(definition.onDeactivate !== undefined && { onDeactivate: definition.onDeactivate.bind(definition) }),
    ...(definition.inherit !== undefined && { inherit: definition.inherit.bind(definition) }),
    ...(definition.observe !== undefined && { observe: definition.observe }),
    ...(definition.traceparent !== undefined && { traceparent: definition.traceparent }),
    ...(definition.tracestate !== undefined && { tracestate: definition.tracestate }),
    ...(definition.parts !== undefined && { parts: definition.parts.bind(definition) }),
    ...(definition.close !== undefined && { close: definition.close.bind(definition) }),
  });
}

/** The hooks by the name of their phase; those that are not there are left out. */
function phaseHooks(hooks: PluginHooks): PhaseHooks {
  const byPhase: PhaseHooks = {
    ...(hooks.runStart !== undefined && { run_start: hooks.runStart }),
    ...(hooks.stepStart !== undefined && { step_start: hooks.stepStart }),
    ...(hooks.beforeInference !== undefined && { before_inference: hooks.beforeInference }),
    ...(hooks.afterInference !== undefined && { after_inference: hooks.afterInference }),
    ...(hooks.stepEnd !== undefined && { step_end: hooks.stepEnd }),
    ...(hooks.beforeToolExecute !== undefined && { before_tool_execute: hooks.beforeToolExecute }),
    ...(hooks.afterToolExecute !== undefined && { after_tool_execute: hooks.afterToolExecute }),
    ...(hooks.runEnd !== undefined && { run_end: hooks.runEnd }),
  };
  return byPhase;
}
