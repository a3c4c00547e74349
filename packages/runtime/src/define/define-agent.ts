import type {
  AgentSpec,
  BudgetOptions,
  ChatOptions,
  ContextOptions,
  FallbackModel,
  LanguageModel,
  PartialSuspension,
  Plugin,
  RetryOptions,
  StopCondition,
  StopPolicy,
  Tool,
  ToolConcurrency,
  ToolExecutionMode,
} from "@reprise/contracts";
import { RepriseError } from "@reprise/contracts";
import type { Json, JsonObject, StandardSchema } from "@reprise/state";
import { readSpec } from "../spec/read-agent-spec.ts";
import { sayAuthorProblem } from "../spec/say-problem.ts";
import { assertKnownKeys, type KeysOf } from "./assert-known-keys.ts";
import { describeSchema } from "./input-schema.ts";

/** What an author writes about an agent. The same as a spec, in an author's words and with things given by value. */
export interface AgentDefinition {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** A model, or the id of one the runtime knows. */
  readonly model: string | LanguageModel;
  /** The system prompt: the operator's words, never text from outside. */
  readonly instructions?: string;
  /** Tools of this agent alone. */
  readonly tools?: readonly Tool[];
  /** Plugins of this agent, or ids of plugins the runtime knows; they act in this order. */
  readonly plugins?: readonly (Plugin | string)[];
  /** Configuration of plugins, by section. */
  readonly sections?: { readonly [key: string]: Json };
  readonly contextPolicy?: ContextOptions;
  readonly allowedTools?: readonly string[];
  readonly allowedToolPatterns?: readonly string[];
  readonly excludedTools?: readonly string[];
  readonly excludedToolPatterns?: readonly string[];
  /** Model calls one run may make. */
  readonly maxRounds?: number;
  /** When a run stops although the model would go on: conditions, policies, or ids of policies the runtime knows. */
  readonly stopWhen?: readonly (StopCondition | StopPolicy | string)[];
  readonly toolExecutionMode?: ToolExecutionMode;
  /** What happens when some calls of a round wait for a decision and others are done. */
  readonly partialSuspension?: PartialSuspension;
  /** Lets read-only tools start while the model still speaks. */
  readonly startReadsEarly?: boolean;
  /** Mutating tools that may run at the same time, by id. */
  readonly toolConcurrency?: { readonly [toolId: string]: ToolConcurrency };
  /** Settings for every request to the model. */
  readonly chatOptions?: ChatOptions;
  /** What a run answers with: a Standard Schema that tells its JSON Schema, or JSON Schema. */
  readonly outputSchema?: StandardSchema | JsonObject;
  /** What each run may spend, with the runs below it, unless its request says otherwise. */
  readonly budget?: BudgetOptions;
  /** Models to try after the first, in order: an id, or an object that says how often to ask that one. */
  readonly fallbackModels?: readonly (string | FallbackModel)[];
  readonly retryPolicy?: RetryOptions;
  /** Whether a client may choose the model, the prompt and some settings of a run. */
  readonly clientOverrides?: boolean;
}

const AGENT_KEYS: KeysOf<AgentDefinition> = {
  id: true,
  name: true,
  description: true,
  model: true,
  instructions: true,
  tools: true,
  plugins: true,
  sections: true,
  contextPolicy: true,
  allowedTools: true,
  allowedToolPatterns: true,
  excludedTools: true,
  excludedToolPatterns: true,
  maxRounds: true,
  stopWhen: true,
  toolExecutionMode: true,
  partialSuspension: true,
  startReadsEarly: true,
  toolConcurrency: true,
  chatOptions: true,
  outputSchema: true,
  budget: true,
  fallbackModels: true,
  retryPolicy: true,
  clientOverrides: true,
};

/** An agent, ready to be resolved: a spec, and what it was given by value. */
export interface Agent {
  readonly id: string;
  readonly spec: AgentSpec;
  readonly tools: readonly Tool[];
  readonly plugins: readonly Plugin[];
  readonly stopPolicies: readonly StopPolicy[];
  readonly model?: LanguageModel;
}

/** Describes an agent. Mistakes in the description are reported here, before anything runs. */
export function defineAgent(definition: AgentDefinition): Agent {
  const { model, tools = [], plugins = [], stopWhen = [] } = definition;
  assertKnownKeys(`agent ${definition.id}`, definition, AGENT_KEYS);
  assertOneEach(definition.id, tools);
  const spec = readSpec(withoutAbsent(specOf(definition)), sayAuthorProblem);
  return Object.freeze({
    id: spec.id,
    spec,
    tools,
    plugins: plugins.filter((plugin) => typeof plugin !== "string"),
    stopPolicies: stopWhen.filter(isPolicy),
    ...(typeof model !== "string" && { model }),
  });
}

function specOf(definition: AgentDefinition): Readonly<Record<string, unknown>> {
  const { model, plugins = [], stopWhen = [] } = definition;
  return {
    id: definition.id,
    name: definition.name,
    description: definition.description,
    model: typeof model === "string" ? model : model.id,
    instructions: definition.instructions,
    plugins: plugins.map((plugin) => (typeof plugin === "string" ? plugin : plugin.id)),
    sections: definition.sections,
    context_policy: definition.contextPolicy,
    allowed_tools: definition.allowedTools,
    allowed_tool_patterns: definition.allowedToolPatterns,
    excluded_tools: definition.excludedTools,
    excluded_tool_patterns: definition.excludedToolPatterns,
    max_rounds: definition.maxRounds,
    stop_when: stopWhen.filter((when) => typeof when === "object" && !isPolicy(when)),
    stop_condition_ids: stopWhen.filter((when) => typeof when === "string" || isPolicy(when)).map(idOf),
    tool_execution_mode: definition.toolExecutionMode,
    partial_suspension: definition.partialSuspension,
    start_reads_early: definition.startReadsEarly,
    tool_concurrency: definition.toolConcurrency,
    chat_options: definition.chatOptions,
    output_schema: outputSchemaOf(definition),
    budget: definition.budget,
    fallback_models: definition.fallbackModels,
    retry_policy: definition.retryPolicy,
    client_overrides: definition.clientOverrides,
  };
}

function outputSchemaOf({ id, outputSchema }: AgentDefinition): JsonObject | undefined {
  return outputSchema === undefined ? undefined : describeSchema(`The output schema of agent ${id}`, outputSchema);
}

function isPolicy(when: StopCondition | StopPolicy | string): when is StopPolicy {
  return typeof when === "object" && "evaluate" in when;
}

function idOf(policy: StopCondition | StopPolicy | string): string {
  return typeof policy === "string" ? policy : "id" in policy ? policy.id : policy.type;
}

/** A field that is not given is not there: its default counts. */
function withoutAbsent(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function assertOneEach(agent: string, tools: readonly Tool[]): void {
  const seen = new Set<string>();
  for (const { descriptor } of tools) {
    if (seen.has(descriptor.id)) {
      throw new RepriseError("TOOL_ID_CONFLICT", `Agent ${agent} has two tools with the id ${descriptor.id}.`);
    }
    seen.add(descriptor.id);
  }
}
