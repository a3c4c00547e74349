import {
  flag,
  json,
  listOf,
  needed,
  nonEmptyText,
  numberFrom,
  objectOf,
  oneOf,
  optional,
  otherType,
  recordOf,
  type Shape,
  text,
  textLike,
  textOr,
  unionOf,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import type { JsonObject } from "@reprise/state";
import {
  type FallbackLink,
  type InputValidation,
  type KeyedLimit,
  NODE_ERROR_CODES,
  type NodeGraph,
  type NodeRetry,
  type RateLimit,
  type ToolPolicy,
  type Workflow,
  type WorkflowAgent,
  type WorkflowBudget,
  type WorkflowDocument,
  type WorkflowEdge,
  type WorkflowInput,
  type WorkflowNode,
  type WorkflowTrigger,
} from "./workflow-document.ts";

/** Words of lower case letters and digits, joined by hyphens or underscores. */
const nodeId = textLike("a name in kebab-case or snake_case", "^[a-z0-9]+([-_][a-z0-9]+){0,40}$");
const workflowId = textLike("a name in kebab-case", "^[a-z0-9]+(-[a-z0-9]+){0,40}$");
const inputName = textLike("a name of letters, digits, _ and -", "^[A-Za-z0-9_-]{1,100}$");
const contextKey = textLike("a name of letters, digits, _ and -", "^[A-Za-z0-9_-]{1,100}$");
const variableName = textLike("a name as in JavaScript", "^[A-Za-z_][A-Za-z0-9_]{0,99}$");
const environmentName = textLike("the name of an environment variable", "^[A-Z_][A-Z0-9_]{0,199}$");
const cron = textLike("a cron expression of five or six fields", "^[^\\s]+( +[^\\s]+){4,5}$");
const milliseconds = wholeNumberFrom(1);
const jsonObject: Shape<JsonObject> = recordOf(json);
const texts = listOf(nonEmptyText);

/** What a condition compares its result with. */
const branchValue: Shape<boolean | string | number> = {
  says: "true, false, a string or a number",
  schema: { type: ["boolean", "string", "number"] },
  problems: (value, path) =>
    typeof value === "boolean" || typeof value === "string" || Number.isFinite(value)
      ? []
      : [otherType(path, "true, false, a string or a number", value)],
};

/** A shape that is used before it is described, because it contains itself. */
function later<Value>(says: string, definition: string, shape: () => Shape<Value>): Shape<Value> {
  return {
    says,
    schema: { $ref: `#/definitions/${definition}` },
    problems: (value, path) => shape().problems(value, path),
  };
}

const temperature: Shape<number> = {
  ...numberFrom(0),
  says: "a number from 0 to 2",
  schema: { type: "number", minimum: 0, maximum: 2 },
  problems: (value, path) => {
    const isFit = typeof value === "number" && value >= 0 && value <= 2;
    return isFit ? [] : [{ path, says: " must be a number from 0 to 2", found: { value: String(value) } }];
  },
};

const retry = objectOf<NodeRetry>({
  max: needed(wholeNumberFrom(1), "How many attempts there are in all."),
  backoff: optional(oneOf("linear", "exponential"), "How the pauses grow. `exponential` unless given."),
  backoff_ms: optional(wholeNumberFrom(0), "The first pause. 1,000 unless given."),
  retry_on: optional(listOf(oneOf(...NODE_ERROR_CODES)), "Only these errors are tried again."),
});

const keyedLimit = objectOf<KeyedLimit>({
  key: needed(nonEmptyText, "A template. Work with the same key shares the limit."),
  limit: needed(wholeNumberFrom(1), "How many work at the same time."),
});

const rateLimit = objectOf<RateLimit>({
  limit: needed(wholeNumberFrom(1), "How many starts there are in each period."),
  period_ms: needed(milliseconds, "The length of the period."),
});

const fallbackLink = objectOf<FallbackLink>({
  provider: needed(nonEmptyText, "The provider to ask next."),
  model: needed(nonEmptyText, "Its model."),
  max_attempts: optional(wholeNumberFrom(1), "How often it is asked."),
});

/** An agent, in a document or in a file of its own. */
export const agentShape: Shape<WorkflowAgent> = objectOf<WorkflowAgent>({
  id: needed(nodeId, "What nodes call it in `agent_ref`."),
  name: optional(text, "A name for people."),
  description: optional(text, "What it is for."),
  model: needed(nonEmptyText, "The model."),
  provider: needed(nonEmptyText, "The provider of the model."),
  system_prompt: optional(text, "Its instructions. Sent as they are written: `{{ … }}` is not replaced."),
  temperature: optional(temperature, "From 0 to 2."),
  max_tokens: optional(wholeNumberFrom(1), "The longest answer."),
  reasoning_effort: optional(oneOf("off", "low", "medium", "high", "max"), "How much it thinks."),
  input_schema: optional(jsonObject, "JSON Schema of its input: the prompt of a node has to be JSON that fits it."),
  output_schema: optional(jsonObject, "JSON Schema of its answer."),
  tools: optional(texts, "The tools it may use. None unless given."),
  retry: optional(retry, "How often a node of this agent is tried, unless the node says so itself."),
  fallback_chain: optional(listOf(fallbackLink), "Which models are asked when the primary one fails."),
});

const validation = objectOf<InputValidation>({
  min: optional(numberFrom(-Number.MAX_VALUE), "Of a number: the least."),
  max: optional(numberFrom(-Number.MAX_VALUE), "Of a number: the most."),
  enum: optional(listOf(json), "The values that are allowed."),
  format: optional(oneOf("email", "url", "uuid", "date", "date-time"), "Of a text: what it has to look like."),
  pattern: optional(nonEmptyText, "Of a text: a regular expression that has to fit."),
  min_length: optional(wholeNumberFrom(0), "Of a text: the least number of characters."),
  max_length: optional(wholeNumberFrom(0), "Of a text: the greatest number of characters."),
});

const input = objectOf<WorkflowInput>({
  name: needed(inputName, "What templates call it: `{{ inputs.name }}`."),
  type: needed(
    oneOf("string", "number", "boolean", "json", "file_path", "code_diff", "secret"),
    "The value of a `secret` is the name of one. It is masked everywhere.",
  ),
  description: optional(text, "What it is for."),
  required: optional(flag, "Whether a run needs it. `false` unless given."),
  default: optional(json, "The value when none is given."),
  validation: optional(validation, "Rules for the value; which of them apply depends on the type."),
});

const trigger = unionOf<"type", WorkflowTrigger>("type", {
  manual: {},
  schedule: {
    cron: needed(cron, "When it starts."),
    timezone: optional(nonEmptyText, "The IANA name of the time zone. UTC unless given."),
    inputs: optional(jsonObject, "The inputs of the runs it starts."),
  },
  webhook: {
    secret: needed(
      environmentName,
      "The environment variable with the secret of the signatures. Never the secret itself.",
    ),
    inputs: optional(jsonObject, "Inputs of the runs it starts, beside those of the request."),
  },
});

const edge = objectOf<WorkflowEdge>({
  from: needed(nonEmptyText, "A node; of a condition `node:when`, as in `check:true` or `check:default`."),
  to: needed(nonEmptyText, "The node that comes after it."),
  label: optional(text, "A word for people."),
  condition: optional(nonEmptyText, "An expression. The edge is not taken when it is false."),
});

const node: Shape<WorkflowNode> = later("a node", "node", () => nodeShape);

const graph = objectOf<NodeGraph>({
  nodes: needed(listOf(node), "The nodes of the body."),
  edges: optional(listOf(edge), "The edges between them."),
});

const BASE = {
  id: needed(nodeId, "Unique in the document."),
  name: optional(text, "A name for people."),
  description: optional(text, "What it is for."),
  timeout_ms: optional(milliseconds, "The time one attempt may take, a media job included."),
  retry: optional(retry, "How often it is tried when it fails."),
  concurrency: optional(
    keyedLimit,
    "How many executions with the same key work at a time, over all runs of the process.",
  ),
  rate_limit: optional(
    rateLimit,
    "How often it may start, over all runs of the process. Waits above 10 s are durable.",
  ),
};

/** A node, by its type. */
const nodeShape: Shape<WorkflowNode> = unionOf<"type", WorkflowNode>("type", {
  input: { ...BASE },
  agent: {
    ...BASE,
    agent_ref: needed(nonEmptyText, "An agent of the document, or one of the runtime."),
    prompt_template: needed(text, "A template. What the agent is asked, in the user position."),
    system_prompt_append: optional(
      text,
      "Added to the agent's instructions as it is written: `{{ … }}` is not replaced.",
    ),
    model: optional(nonEmptyText, "Instead of the agent's."),
    temperature: optional(temperature, "Instead of the agent's."),
    max_tokens: optional(wholeNumberFrom(1), "Instead of the agent's."),
    tools: optional(texts, "A subset of the agent's tools."),
    output_schema: optional(jsonObject, "JSON Schema of the answer, instead of the agent's."),
    output_modalities: optional(listOf(oneOf("text", "image", "audio", "video")), "What the model makes."),
    count: optional(wholeNumberFrom(1), "How many media it makes."),
    duration_seconds: optional(wholeNumberFrom(1), "How long audio or video is."),
  },
  tool: {
    ...BASE,
    tool: needed(nonEmptyText, "The id of the tool."),
    arguments: optional(jsonObject, "Its arguments. Texts in it are templates."),
  },
  condition: {
    ...BASE,
    expression: needed(nonEmptyText, "An expression. Its result chooses the branch."),
    branches: needed(
      listOf(
        objectOf<{ readonly when: boolean | string | number; readonly to: string }>({
          when: needed(branchValue, "Taken when the result is strictly equal to it."),
          to: needed(nonEmptyText, "The node that comes next."),
        }),
      ),
      "Where to go on, by the result.",
    ),
    default: optional(nonEmptyText, "The node that comes next when no branch fits. Without it the node fails then."),
  },
  transform: { ...BASE, expression: needed(nonEmptyText, "An expression. Its result is the output.") },
  parallel: { ...BASE, parallel_of: needed(texts, "The first nodes of the branches.") },
  fan_out: {
    ...BASE,
    over: needed(nonEmptyText, "An expression that gives an array."),
    as: optional(variableName, "The name of the item in the body. `item` unless given; its number is `index`."),
    max_parallel: optional(wholeNumberFrom(1), "How many items are worked on at the same time."),
    on_error: optional(
      oneOf("fail_fast", "collect"),
      "`collect` puts `{ error }` in the place of an item that failed.",
    ),
    body: needed(graph, "The nodes that run for every item."),
  },
  merge: {
    ...BASE,
    parallel_of: optional(nonEmptyText, "The `parallel` node whose branches it joins."),
    strategy: needed(oneOf("concat", "object_merge", "first", "custom"), "How the outputs become one."),
    merge_fn: optional(nonEmptyText, "For `custom`: an expression over `branches`."),
  },
  human_gate: {
    ...BASE,
    gate_type: needed(oneOf("approval", "input", "review"), "What a person is asked for."),
    assignee: optional(nonEmptyText, "Who is asked."),
    message_template: needed(text, "A template. What the person reads."),
    response_schema: optional(jsonObject, "JSON Schema of the answer."),
    timeout_action: optional(oneOf("reject", "approve"), "What happens after `timeout_ms`. `reject` unless given."),
  },
  loop: {
    ...BASE,
    while: needed(nonEmptyText, "An expression, asked before every iteration, with `iteration` and `last`."),
    max_iterations: needed(wholeNumberFrom(1), "The loop ends after that many, whatever the expression says."),
    body: needed(graph, "The nodes of one iteration."),
  },
  wait: {
    ...BASE,
    duration_ms: optional(milliseconds, "How long it sleeps."),
    event: optional(nonEmptyText, "The event it waits for. `timeout_ms` limits the wait."),
  },
  subworkflow: {
    ...BASE,
    workflow_ref: needed(workflowId, "The id of the other workflow."),
    inputs: optional(jsonObject, "Its inputs. Texts in it are templates."),
  },
  output: {
    ...BASE,
    save_to: optional(nonEmptyText, "A relative path for the output. Only `{{ run.id }}` may stand in it."),
  },
});

const workflow = objectOf<Workflow>({
  id: needed(workflowId, "What runs and other workflows call it."),
  version: optional(text, "A version for people. The hash of the document is what counts."),
  name: optional(text, "A name for people."),
  description: optional(text, "What it is for."),
  tags: optional(texts, "Words to find it by."),
  metadata: optional(jsonObject, "Whatever you like. Nothing looks at it."),
  trigger: optional(trigger, "What starts it. `manual` unless given."),
  inputs: optional(listOf(input), "What a run is started with."),
  context: optional(
    recordOf(json, contextKey),
    "Values that are computed once, before any node. Templates in it see `inputs` only.",
  ),
  agents: optional(listOf(agentShape), "The agents of its nodes."),
  tools: optional(
    objectOf<ToolPolicy>({
      allowed_commands: optional(texts, "Commands, exactly as they are called."),
      allowed_command_globs: optional(texts, "Patterns of commands."),
      allowed_domains: optional(texts, "Full names of hosts."),
    }),
    "What its tools may reach, for tools that ask `toolReach`. A list that is absent or empty allows nothing.",
  ),
  budget: optional(
    objectOf<WorkflowBudget>({
      max_cost_microcents: needed(wholeNumberFrom(0), "The most a run may cost."),
      on_exceed: optional(oneOf("fail", "pause_for_approval", "warn"), "`fail` unless given."),
    }),
    "What a run may cost.",
  ),
  timeout_ms: optional(milliseconds, "The time a run may take in all, waits included."),
  max_parallel: optional(wholeNumberFrom(1), "How many nodes work at the same time. 10 unless given."),
  concurrency: optional(keyedLimit, "How many runs with the same key work at the same time. The others wait."),
  upgrade: optional(
    textOr(
      oneOf("fail", "finish_old"),
      objectOf<{ readonly restart_from: string }>({ restart_from: needed(nodeId, "The node to begin with.") }),
    ),
    "What becomes of open runs when the document has changed.",
  ),
  nodes: needed(listOf(node), "The nodes. Where the graph leaves the order open, this is it."),
  edges: optional(listOf(edge), "The edges between the nodes."),
});

/** A whole document. */
export const documentShape: Shape<WorkflowDocument> = objectOf<WorkflowDocument>({
  schema_version: needed(oneOf("1.0"), "The version of the format."),
  workflow: needed(workflow, "The workflow."),
});

/** The JSON Schema of workflow documents, for editors. Draft 7, which every editor knows. */
export function workflowSchema(): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Reprise workflow",
    ...documentShape.schema,
    definitions: { node: nodeShape.schema },
  };
}
