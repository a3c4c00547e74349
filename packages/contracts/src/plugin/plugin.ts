import type { Json, JsonObject, StateAction, StateSlice } from "@reprise/state";
import type { Egress } from "../env/egress.ts";
import type { Tool } from "../tool/tool.ts";
import type { Observe } from "./observer.ts";
import type { Phase } from "./phase.ts";
import type { ActionOf, RequestTransform } from "./phase-action.ts";
import type { PhaseContext, PhaseContexts, PhaseState } from "./phase-context.ts";

/** The return value of a hook: actions, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a hook too.
export type HookActions<In extends Phase> = readonly ActionOf<In>[] | undefined | void;

/** Looks at a phase and says what should happen. Pure: anything impure goes through `context.record`. */
export type PhaseHook<In extends Phase> = (context: PhaseContexts[In]) => HookActions<In> | Promise<HookActions<In>>;

export type PhaseHooks = { readonly [In in Phase]?: PhaseHook<In> };

/** Acts on something scheduled earlier. What is returned must be valid in the phase. */
export type ScheduledHandler = {
  [In in Phase]: {
    readonly phase: In;
    handle(payload: Json, context: PhaseContexts[In]): HookActions<In> | Promise<HookActions<In>>;
  };
}[Phase];

/** The commit that an effect follows. */
export interface EffectContext {
  readonly runId: string;
  readonly threadId: string;
  readonly tenant: string;
  readonly signal: AbortSignal;
}

/** Does something in the world after a commit. At most once: a failure is logged, and a crash in between loses it. */
export type EffectHandler = (payload: Json, context: EffectContext) => Promise<void> | void;

/** The agent whose tools a source lists. */
export type ToolSourceView = Pick<PhaseContext, "agentId" | "agentSpec" | "tenant" | "section">;

/** The context of a tool source while it prepares. */
export interface ToolSourceContext extends ToolSourceView, Pick<PhaseContext, "signal" | "documents"> {
  /** The way to servers on the network, when the process has one. */
  readonly egress?: Egress;
}

/**
 * Tools that come and go while the process runs, such as those of a server elsewhere.
 *
 * - An activation reads the list when it begins and again at each step, after `prepare`. Within a step the list stays the same.
 * - The run keeps the list with its effects, so a replay knows the tools without asking the source.
 * - A `prepare` that fails fails the run when an activation begins. At a later step the activation keeps the list it has.
 * - A tool whose id another tool of the agent has is left out. The exclude lists of the agent apply; its allow lists do not.
 */
export interface ToolSource {
  /** The tools there are now, without asking anybody. The same array as long as nothing changed. */
  list(view: ToolSourceView): readonly Tool[];
  /** Connects, or refreshes a list that is out of date. Cheap when there is nothing to do: every step waits for it. */
  prepare?(context: ToolSourceContext): Promise<void> | void;
}

/**
 * A thing that a plugin brings to an agent, and how it is doing: a server it connects to, a skill it found. For people, so without
 * secrets.
 */
export interface PluginPart {
  /** As in `mcp_server` and `skill`. */
  readonly kind: string;
  readonly name: string;
  /** `idle`: not needed yet. `warning`: usable, and something is wrong with it. */
  readonly state: "ready" | "idle" | "connecting" | "warning" | "failed" | "needs_authorization";
  /** What it is for, or what is wrong. */
  readonly message?: string;
  readonly details?: JsonObject;
}

/** The agent whose tools a plugin wraps. */
export type ToolWrapperView = Pick<PhaseContext, "agentId" | "agentSpec" | "section">;

/** A run whose tool starts another one. */
export interface InheritanceContext
  extends Pick<PhaseContext, "agentId" | "agentSpec" | "resourceId" | "section" | "documents" | "now"> {
  readonly state: Pick<PhaseState, "get">;
}

/**
 * Something that concerns many tools or every run. It declares what it owns and returns actions; it never writes.
 *
 * - Hooks of one phase all see the state as it was when the phase began; what they ask for is applied in the order of the
 *   plugins, and each change carries the plugin's id.
 * - An action a phase does not allow, a state that was not declared, and an unknown key fail the run before anything of the
 *   phase is committed.
 */
export interface Plugin {
  readonly id: string;
  readonly hooks: PhaseHooks;
  readonly states: readonly StateSlice[];
  readonly tools: readonly Tool[];
  /** Tools that are not known when the plugin is defined. */
  readonly toolSource?: ToolSource;
  /**
   * Changes a tool of the agent before any run sees it: its parameters, its description, its execution. Returns the tool itself to leave it
   * as it is. Pure: called when an agent is resolved and when a source lists a tool. The id stays.
   */
  wrapTool?(tool: Tool, view: ToolWrapperView): Tool;
  /** Sections of an agent's spec that belong to this plugin, with their JSON Schema. */
  readonly sections: { readonly [key: string]: JsonObject };
  /** Says what is wrong with a section that fits its schema, where a schema cannot say it; undefined when nothing is. */
  findSectionProblem?(key: string, section: Json): string | undefined;
  readonly scheduled: { readonly [key: string]: ScheduledHandler };
  readonly effects: { readonly [key: string]: EffectHandler };
  /** Applied to every request of the agent. */
  readonly transforms: readonly RequestTransform[];
  /** Called when a run of an agent with this plugin begins to be worked on in this process, and when that is over. */
  onActivate?(context: PhaseContext): Promise<void> | void;
  onDeactivate?(context: PhaseContext): Promise<void> | void;
  /**
   * What a run below starts with: an action on one of the plugin's states, of the scope `run`. Asked when a tool of the run starts it. The
   * plugin then takes part in the run below also where its agent does not name the plugin: with its hooks, not with its tools. One that throws
   * keeps the run below from starting.
   */
  inherit?(context: InheritanceContext): Promise<StateAction | undefined> | StateAction | undefined;
  /** Watches each activation of a run, for measuring and tracing. */
  readonly observe?: Observe;
  /**
   * The trace of the code that starts a run, in the form of W3C Trace Context. Called when a request for an agent with this plugin is
   * accepted, in the async context of the caller; kept with the run.
   */
  readonly traceparent?: () => string | undefined;
  /** The `tracestate` that goes with it. Called after `traceparent`, where that found a trace. */
  readonly tracestate?: () => string | undefined;
  /** What the plugin brings to an agent beside its tools, and how that is doing. Asks nobody: it tells what is known now. */
  parts?(view: ToolSourceView): Promise<readonly PluginPart[]> | readonly PluginPart[];
  /** Called when a runtime that used the plugin closes, after its last run: ends processes and connections. Idempotent. */
  close?(): Promise<void> | void;
}
