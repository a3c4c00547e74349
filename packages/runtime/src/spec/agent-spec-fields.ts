import {
  budgetShape,
  type ComposedPart,
  type ComposedStep,
  type Composition,
  type ContextPolicy,
  chatOptionsShape,
  type FallbackEntry,
  type ProgramSpec,
  type RemoteEndpoint,
  type RetryPolicy,
  runLimitsShape,
  type StopConditionSpec,
  type ToolConcurrency,
} from "@reprise/contracts";
import {
  flag,
  json,
  listOf,
  narrowed,
  needed,
  nonEmptyText,
  numberFrom,
  objectOf,
  oneOf,
  optional,
  recordOf,
  type Shape,
  secret,
  text,
  textOr,
  unionOf,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { FieldRow } from "./field-table.ts";
import { findGlobProblem } from "./glob.ts";

const tokens = wholeNumberFrom(1);

/** Null is as good as leaving it out: nothing is compacted by itself. */
const threshold: Shape<number | null> = {
  says: `${tokens.says}, or null`,
  schema: { ...tokens.schema, type: ["integer", "null"] },
  problems: (value, path) => (value === null ? [] : tokens.problems(value, path)),
};

/** The fields of a context policy. The fields of compaction are checked here and kept for the plugins that compact. */
const CONTEXT_POLICY_SHAPE: Shape<ContextPolicy> = objectOf<ContextPolicy>({
  max_context_tokens: optional(tokens),
  max_output_tokens: optional(tokens),
  min_recent_messages: optional(wholeNumberFrom(1)),
  enable_prompt_cache: optional(flag),
  autocompact_threshold: optional(threshold),
  compaction_mode: optional(oneOf("keep_recent_raw_suffix", "compact_to_safe_frontier")),
  compaction_raw_suffix_messages: optional(wholeNumberFrom(0)),
});

const ids = listOf(nonEmptyText);
const patterns = listOf(
  narrowed(nonEmptyText, (pattern) => (typeof pattern === "string" ? findGlobProblem(pattern) : undefined)),
);
const count = wholeNumberFrom(0);

const stopCondition = unionOf<"type", StopConditionSpec>("type", {
  max_rounds: { rounds: needed(wholeNumberFrom(1)) },
  timeout: { seconds: needed(numberFrom(0)) },
  token_budget: { max_total: needed(count) },
  consecutive_errors: { max: needed(count) },
  stop_on_tool: { tool_name: needed(nonEmptyText) },
  content_match: { pattern: needed(text) },
  loop_detection: { window: needed(count) },
});

const jitter = narrowed(numberFrom(0), (percent) =>
  Number(percent) > 100 ? "a jitter has at most 100 percent" : undefined,
);

const retryPolicy = objectOf<RetryPolicy>({
  max_attempts_per_model: optional(wholeNumberFrom(1)),
  initial_backoff_ms: optional(numberFrom(0)),
  max_backoff_ms: optional(numberFrom(0)),
  backoff_jitter_percent: optional(jitter),
  max_retry_window_ms: optional(numberFrom(0)),
  retry_stream_start: optional(flag),
  max_stream_event_retries: optional(count),
  stream_error_fallback_threshold: optional(wholeNumberFrom(1)),
  patience_ms: optional(numberFrom(0)),
});

const fallback = objectOf<FallbackEntry>({
  model: needed(nonEmptyText),
  provider: optional(nonEmptyText),
  max_attempts: optional(wholeNumberFrom(1)),
  backoff_ms: optional(numberFrom(0)),
});

const auth = unionOf<"kind", NonNullable<RemoteEndpoint["auth"]>>("kind", {
  bearer_token: { token: needed(secret) },
  header: { name: needed(nonEmptyText), value: needed(secret) },
});

const endpointObject = objectOf<RemoteEndpoint>({
  url: needed(nonEmptyText),
  backend: optional(nonEmptyText),
  remote_agent_id: optional(nonEmptyText),
  poll_interval_ms: optional(wholeNumberFrom(1)),
  auth: optional(auth),
});

const endpoint: Shape<string | RemoteEndpoint> = {
  ...textOr(nonEmptyText, endpointObject),
  says: `a url, or ${endpointObject.says}`,
};

const part: Shape<ComposedPart> = textOr(
  nonEmptyText,
  objectOf<ComposedStep>({
    agent: needed(nonEmptyText),
    input: optional(nonEmptyText),
    limits: optional(runLimitsShape),
  }),
);
const parts = narrowed(listOf(part), (list) =>
  Array.isArray(list) && list.length === 0 ? "must have at least one step" : undefined,
);

const composition = unionOf<"type", Composition>("type", {
  sequence: { steps: needed(parts) },
  parallel: {
    steps: needed(parts),
    max_concurrency: optional(wholeNumberFrom(1)),
    on_failure: optional(oneOf("fail_fast", "collect")),
  },
  refine: { generator: needed(part), critic: needed(part), max_rounds: optional(wholeNumberFrom(1)) },
});

const ALL_TOOLS = "Absent together with `allowed_tool_patterns`: all. Empty: none.";

/** Every field of an agent spec as people may write it. The reader and the reference page are made of this table. */
export const AGENT_SPEC_FIELDS: readonly FieldRow[] = [
  { name: "id", shape: nonEmptyText, isRequired: true, meaning: "The agent's id." },
  { name: "name", shape: text, meaning: "For people. The id unless given." },
  { name: "description", shape: text, default: "", meaning: "What the agent is for." },
  { name: "model", aliases: ["model_id"], shape: nonEmptyText, meaning: "The id of a registered model." },
  { name: "system_prompt", aliases: ["instructions"], shape: text, default: "", meaning: "The operator's words." },
  {
    name: "plugin_ids",
    aliases: ["behavior_ids", "plugins"],
    shape: ids,
    default: [],
    meaning: "Plugins, in the order in which they act.",
  },
  { name: "sections", shape: recordOf(json), default: {}, meaning: "Configuration of plugins, by section." },
  {
    name: "context_policy",
    shape: CONTEXT_POLICY_SHAPE,
    meaning: "How the conversation is kept inside the model's window.",
  },
  { name: "allowed_tools", shape: ids, meaning: `Ids of tools the agent may use. ${ALL_TOOLS}` },
  { name: "allowed_tool_patterns", shape: patterns, meaning: "Patterns of tools it may use; `*` is any text." },
  { name: "excluded_tools", shape: ids, default: [], meaning: "Ids of tools it may not use, though allowed." },
  {
    name: "excluded_tool_patterns",
    shape: patterns,
    default: [],
    meaning: "Patterns of tools it may not use, though allowed; those to come included.",
  },
  {
    name: "allowed_skills",
    shape: ids,
    meaning: "Skills the plugin `skills` may offer. Absent together with `allowed_skill_patterns`: all. Empty: none.",
  },
  { name: "allowed_skill_patterns", shape: patterns, meaning: "Patterns of skills it may offer; `*` is any text." },
  { name: "excluded_skills", shape: ids, meaning: "Skills it may not offer, though allowed." },
  { name: "excluded_skill_patterns", shape: patterns, meaning: "Patterns of skills it may not offer, though allowed." },
  { name: "delegates", shape: ids, meaning: "Agents that the plugin `agent_tools` offers as a tool each." },
  {
    name: "allowed_agents",
    shape: ids,
    meaning: "Agents that may work for it. Absent together with `allowed_agent_patterns`: all others. Empty: none.",
  },
  { name: "allowed_agent_patterns", shape: patterns, meaning: "Patterns of agents that may work for it." },
  { name: "excluded_agents", shape: ids, meaning: "Agents that may not work for it, though allowed." },
  { name: "excluded_agent_patterns", shape: patterns, meaning: "Patterns of agents that may not, though allowed." },
  { name: "max_rounds", shape: wholeNumberFrom(1), default: 10, meaning: "Model calls one run may make." },
  {
    name: "stop_condition_specs",
    aliases: ["stop_when"],
    shape: listOf(stopCondition),
    default: [],
    meaning: "When a run stops although the model would go on.",
  },
  { name: "stop_condition_ids", shape: ids, default: [], meaning: "Registered stop policies." },
  {
    name: "tool_execution_mode",
    shape: oneOf("sequential", "parallel_batch_approval", "parallel_streaming"),
    default: "parallel_streaming",
    meaning: "How the calls of one step are run.",
  },
  {
    name: "partial_suspension",
    shape: oneOf("wait", "continue"),
    default: "wait",
    meaning: "What happens when some calls of a round are suspended and others are done.",
  },
  { name: "start_reads_early", shape: flag, default: false, meaning: "Start read-only tools while the model speaks." },
  {
    name: "tool_concurrency",
    shape: recordOf(objectOf<ToolConcurrency>({ max: optional(wholeNumberFrom(1)) })),
    default: {},
    meaning: "Mutating tools that may run beside others of their kind. None of them may be destructive.",
  },
  { name: "chat_options", shape: chatOptionsShape, default: {}, meaning: "Settings passed on to the model." },
  {
    name: "output_schema",
    shape: recordOf(json),
    meaning:
      "JSON Schema of what a run answers with. An answer that does not fit is sent back once, then the run fails.",
  },
  {
    name: "budget",
    shape: budgetShape,
    meaning: "What each run may spend, with the runs below it, unless its request says otherwise.",
  },
  {
    name: "fallback_models",
    aliases: ["fallback_chain"],
    shape: listOf(textOr(nonEmptyText, fallback)),
    default: [],
    meaning: "Models to try after the first, in order: an id, or an object that says how often to ask that one.",
  },
  {
    name: "llm_retry_policy",
    aliases: ["retry_policy"],
    shape: retryPolicy,
    meaning: "How patient the agent is with its model.",
  },
  { name: "client_overrides", shape: flag, default: false, meaning: "Whether clients may choose model and prompt." },
  { name: "endpoint", shape: endpoint, meaning: "Where an agent that runs elsewhere is reached." },
  {
    name: "compose",
    shape: composition,
    meaning:
      "The agents that this one is made of: a `sequence`, `parallel` or `refine`. It has no model and no plugins of its own.",
  },
  {
    name: "program",
    shape: objectOf<ProgramSpec>({ kind: needed(nonEmptyText), definition: needed(recordOf(json)) }),
    meaning:
      "What runs of it do instead of asking a model: the program of this kind, such as `workflow`, runs the definition.",
  },
];

/** Fields that say where an agent runs without an endpoint around them. They become part of `endpoint`. */
export const FLAT_ENDPOINT_FIELDS: readonly FieldRow[] = [
  { name: "kind", shape: oneOf("local", "a2a"), meaning: "`a2a` for an agent that runs elsewhere; needs `endpoint`." },
  {
    name: "remote_agent_id",
    shape: nonEmptyText,
    meaning: "The agent's id in the other service. Default: the same id.",
  },
  {
    name: "poll_interval_ms",
    shape: wholeNumberFrom(1),
    meaning: "The time between two requests for the status of a remote run.",
  },
  { name: "auth", shape: auth, meaning: "The credentials for the remote agent." },
];
