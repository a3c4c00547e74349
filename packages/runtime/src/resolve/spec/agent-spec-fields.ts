import { findBudgetProblem } from "@reprise/contracts";
import { CONTEXT_POLICY_SHAPE } from "../../context/context-policy-shape.ts";
import { findGlobProblem } from "../glob.ts";
import type { FieldRow } from "./field-table.ts";
import { objectOf, unionOf } from "./object-shape.ts";
import {
  flag,
  json,
  listOf,
  narrowed,
  nonEmptyText,
  numberFrom,
  oneOf,
  recordOf,
  type Shape,
  secret,
  text,
  wholeNumberFrom,
} from "./shape.ts";

const ids = listOf(nonEmptyText);
const patterns = listOf(
  narrowed(nonEmptyText, (pattern) => (typeof pattern === "string" ? findGlobProblem(pattern) : undefined)),
);
const count = wholeNumberFrom(0);

const stopCondition = unionOf("type", {
  max_rounds: { required: { rounds: wholeNumberFrom(1) } },
  timeout: { required: { seconds: numberFrom(0) } },
  token_budget: { required: { max_total: count } },
  consecutive_errors: { required: { max: count } },
  stop_on_tool: { required: { tool_name: nonEmptyText } },
  content_match: { required: { pattern: text } },
  loop_detection: { required: { window: count } },
});

const retryPolicy = objectOf({
  optional: {
    max_attempts_per_model: wholeNumberFrom(1),
    initial_backoff_ms: numberFrom(0),
    max_backoff_ms: numberFrom(0),
    backoff_jitter_percent: narrowed(numberFrom(0), (percent) =>
      Number(percent) > 100 ? "a jitter has at most 100 percent" : undefined,
    ),
    max_retry_window_ms: numberFrom(0),
    retry_stream_start: flag,
    max_stream_event_retries: count,
    stream_error_fallback_threshold: count,
  },
});

const auth = unionOf("kind", {
  bearer_token: { required: { token: secret } },
  header: { required: { name: nonEmptyText, value: secret } },
});

const endpointObject = objectOf({
  required: { url: nonEmptyText },
  optional: { backend: nonEmptyText, remote_agent_id: nonEmptyText, poll_interval_ms: wholeNumberFrom(1), auth },
});

const endpoint: Shape = {
  says: `a url, or ${endpointObject.says}`,
  schema: { oneOf: [nonEmptyText.schema, endpointObject.schema] },
  problems: (value, at) => (typeof value === "string" ? nonEmptyText : endpointObject).problems(value, at),
};

/** Which tools, skills or other agents an agent may use. */
function catalogueRows(one: string, many: string): readonly FieldRow[] {
  const all = `Absent together with \`allowed_${one}_patterns\`: all. Empty: none.`;
  return [
    { name: `allowed_${many}`, shape: ids, meaning: `Ids of ${many} the agent may use. ${all}` },
    { name: `allowed_${one}_patterns`, shape: patterns, meaning: `Patterns of ${many} it may use; \`*\` is any text.` },
    { name: `excluded_${many}`, shape: ids, default: [], meaning: `Ids of ${many} it may not use, though allowed.` },
    {
      name: `excluded_${one}_patterns`,
      shape: patterns,
      default: [],
      meaning: `Patterns of ${many} it may not use, though allowed; those to come included.`,
    },
  ];
}

/** Every field of an agent spec as people may write it. The reader and the reference page are made of this table. */
export const AGENT_SPEC_FIELDS: readonly FieldRow[] = [
  { name: "id", shape: nonEmptyText, isRequired: true, meaning: "The agent's id." },
  { name: "name", shape: text, meaning: "For people. The id unless given." },
  { name: "description", shape: text, default: "", meaning: "What the agent is for." },
  { name: "model", aliases: ["model_id"], shape: nonEmptyText, meaning: "The id of a registered model." },
  { name: "system_prompt", aliases: ["instructions"], shape: text, default: "", meaning: "The operator's words." },
  {
    name: "plugin_ids",
    aliases: ["behavior_ids"],
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
  { name: "delegates", shape: ids, default: [], meaning: "Agents this one may call as tools." },
  ...catalogueRows("tool", "tools"),
  ...catalogueRows("skill", "skills"),
  ...catalogueRows("agent", "agents"),
  { name: "max_rounds", shape: wholeNumberFrom(1), default: 10, meaning: "Model calls one run may make." },
  {
    name: "stop_condition_specs",
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
    shape: recordOf(objectOf({ optional: { max: wholeNumberFrom(1) } })),
    default: {},
    meaning: "Mutating tools that may run beside others of their kind. None of them may be destructive.",
  },
  { name: "chat_options", shape: recordOf(json), default: {}, meaning: "Settings passed on to the model." },
  {
    name: "output_schema",
    shape: recordOf(json),
    meaning:
      "JSON Schema of what a run answers with. An answer that does not fit is sent back once, then the run fails.",
  },
  {
    name: "budget",
    shape: narrowed(recordOf(json), findBudgetProblem),
    meaning: "What each run may spend, with the runs below it, unless its request says otherwise.",
  },
  { name: "fallback_models", shape: ids, default: [], meaning: "Models to try after the first, in order." },
  {
    name: "fallback_chain",
    shape: listOf(
      objectOf({
        required: { model: nonEmptyText },
        optional: { provider: nonEmptyText, max_attempts: wholeNumberFrom(1), backoff_ms: numberFrom(0) },
      }),
    ),
    meaning: "Models to try after the first, in order, each as often as it says; instead of `fallback_models`.",
  },
  { name: "llm_retry_policy", shape: retryPolicy, meaning: "How patient the agent is with its model." },
  { name: "client_overrides", shape: flag, default: false, meaning: "Whether clients may choose model and prompt." },
  { name: "endpoint", shape: endpoint, meaning: "Where an agent that runs elsewhere is reached." },
];

/** Fields that say where an agent runs without an endpoint around them. They become part of `endpoint`. */
export const FLAT_ENDPOINT_FIELDS: readonly FieldRow[] = [
  { name: "kind", shape: oneOf("local", "a2a"), meaning: "`a2a` for an agent that runs elsewhere; needs `endpoint`." },
  { name: "remote_agent_id", shape: nonEmptyText, meaning: "The agent's id over there. The id unless given." },
  { name: "poll_interval_ms", shape: wholeNumberFrom(1), meaning: "How often to ask how a run over there is going." },
  { name: "auth", shape: auth, meaning: "How to prove who asks." },
];
