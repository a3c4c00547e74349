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
  RunProgram,
  StopCondition,
  StopPolicy,
  StopPolicyInput,
  StoppedReason,
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

/** Decides after a step whether the run stops. Its answers are recorded, so that a replay has them without asking again. Pure. */
export type StopFunction = (step: StopPolicyInput) => boolean | StoppedReason | undefined;

/** When a run stops although the model would continue: a condition, a function, a policy, or the id of a policy the runtime knows. */
export type StopWhen = StopCondition | StopFunction | StopPolicy | string;

/** A JSON Schema, or a Standard Schema that can tell its own. */
export type AnswerSchema = StandardSchema | JsonObject;

/** The type of the answers that a schema allows. They are JSON as the model wrote it: a schema's transformations are not applied. Never for an agent without a schema. */
export type AnswerOf<Schema> = Schema extends {
  readonly "~standard": { readonly types?: { readonly input: infer Answer } | undefined };
}
  ? Answer
  : Schema extends JsonObject
    ? Json
    : never;

/** The definition of an agent in code. It has the fields of a spec in camelCase, and takes tools, plugins and models as values. */
export interface AgentDefinition<Id extends string = string, Schema = AnswerSchema> {
  readonly id: Id;
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
  /** Which skills the plugin `skills` may offer. */
  readonly allowedSkills?: readonly string[];
  readonly allowedSkillPatterns?: readonly string[];
  readonly excludedSkills?: readonly string[];
  readonly excludedSkillPatterns?: readonly string[];
  /** Agents that the plugin `agent_tools` offers as a tool each. */
  readonly delegates?: readonly string[];
  /** Which agents may work for this one. */
  readonly allowedAgents?: readonly string[];
  readonly allowedAgentPatterns?: readonly string[];
  readonly excludedAgents?: readonly string[];
  readonly excludedAgentPatterns?: readonly string[];
  /** Model calls one run may make. */
  readonly maxRounds?: number;
  /** When a run stops although the model would continue: `isStepCount(5)`, `[hasToolCall("done"), ({ text }) => text.includes("Bye")]`. */
  readonly stopWhen?: StopWhen | readonly StopWhen[];
  readonly toolExecutionMode?: ToolExecutionMode;
  /** How a run proceeds when some calls of a round wait for a decision and others are done. */
  readonly partialSuspension?: PartialSuspension;
  /** Lets read-only tools start while the model still speaks. */
  readonly startReadsEarly?: boolean;
  /** Mutating tools that may run at the same time, by id. */
  readonly toolConcurrency?: { readonly [toolId: string]: ToolConcurrency };
  /** Settings for every request to the model. */
  readonly chatOptions?: ChatOptions;
  /** The schema of a run's output: a Standard Schema that provides its JSON Schema, or JSON Schema. */
  readonly outputSchema?: Schema;
  /** The budget of each run and the runs below it. A request can set another one. */
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
  allowedSkills: true,
  allowedSkillPatterns: true,
  excludedSkills: true,
  excludedSkillPatterns: true,
  delegates: true,
  allowedAgents: true,
  allowedAgentPatterns: true,
  excludedAgents: true,
  excludedAgentPatterns: true,
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
export interface Agent<Id extends string = string, Output = unknown> {
  readonly id: Id;
  readonly spec: AgentSpec;
  readonly tools: readonly Tool[];
  readonly plugins: readonly Plugin[];
  readonly stopPolicies: readonly StopPolicy[];
  readonly model?: LanguageModel;
  /** The agents that a composed agent was given by value. They are registered with it. */
  readonly parts?: readonly Agent[];
  /** Runs the agent instead of a model. */
  readonly program?: RunProgram;
  /** Carries the type of the answer to the outcomes of runs; never set. */
  readonly output?: Output;
}

/** Describes an agent. Mistakes in the description are reported here, before anything runs. */
export function defineAgent<const Id extends string, Schema extends AnswerSchema | undefined = undefined>(
  definition: AgentDefinition<Id, Schema>,
): Agent<Id, AnswerOf<Schema>> {
  const { model, tools = [], plugins = [] } = definition;
  const stopWhen = stopsOf(definition);
  assertKnownKeys(`agent ${definition.id}`, definition, AGENT_KEYS);
  assertOneEach(definition.id, tools);
  const spec = readSpec(withoutAbsent(specOf(definition, stopWhen)), sayAuthorProblem);
  return Object.freeze({
    id: definition.id,
    spec,
    tools,
    plugins: plugins.filter((plugin) => typeof plugin !== "string"),
    stopPolicies: stopWhen.filter(isPolicy),
    ...(typeof model !== "string" && { model }),
  });
}

function specOf(
  definition: AgentDefinition<string, AnswerSchema | undefined>,
  stopWhen: readonly Stop[],
): Readonly<Record<string, unknown>> {
  const { model, plugins = [] } = definition;
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
    allowed_skills: definition.allowedSkills,
    allowed_skill_patterns: definition.allowedSkillPatterns,
    excluded_skills: definition.excludedSkills,
    excluded_skill_patterns: definition.excludedSkillPatterns,
    delegates: definition.delegates,
    allowed_agents: definition.allowedAgents,
    allowed_agent_patterns: definition.allowedAgentPatterns,
    excluded_agents: definition.excludedAgents,
    excluded_agent_patterns: definition.excludedAgentPatterns,
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

function outputSchemaOf({
  id,
  outputSchema,
}: AgentDefinition<string, AnswerSchema | undefined>): JsonObject | undefined {
  return outputSchema === undefined ? undefined : describeSchema(`The output schema of agent ${id}`, outputSchema);
}

type Stop = StopCondition | StopPolicy | string;

/** The conditions of an agent, with its functions as policies that are named by their position. */
function stopsOf({ id, stopWhen = [] }: Pick<AgentDefinition, "id" | "stopWhen">): readonly Stop[] {
  const list: readonly StopWhen[] = isList(stopWhen) ? stopWhen : [stopWhen];
  return list.map((when, index) =>
    typeof when === "function" ? policyOf(`${id}:stop_when_${index}`, when, when.name || `stopWhen[${index}]`) : when,
  );
}

function isList(stopWhen: StopWhen | readonly StopWhen[]): stopWhen is readonly StopWhen[] {
  return Array.isArray(stopWhen);
}

/** A run that has nothing more to do ends naturally: a function is asked only about one that would continue. */
function policyOf(id: string, decide: StopFunction, detail: string): StopPolicy {
  return {
    id,
    evaluate(step) {
      const answer = step.isFinal ? undefined : decide(step);
      if (typeof answer === "boolean") return answer ? { code: "condition_met", detail } : undefined;
      return answer;
    },
  };
}

/** Stops a run after this many steps. Instead of the default of 10, also when it is more. */
export function isStepCount(steps: number): StopCondition {
  return { type: "max_rounds", rounds: steps };
}

/** Stops a run when the model called this tool, after the tool was executed. */
export function hasToolCall(tool: string): StopCondition {
  return { type: "stop_on_tool", toolName: tool };
}

function isPolicy(when: Stop): when is StopPolicy {
  return typeof when === "object" && "evaluate" in when;
}

function idOf(policy: Stop): string {
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
