import { expect, it } from "vitest";
import { compileSchema } from "../../src/define/json-schema.ts";
import { AGENT_SPEC_FIELDS } from "../../src/spec/agent-spec-fields.ts";
import { agentSpecSchema, readAgentSpec } from "../../src/spec/read-agent-spec.ts";
import { failureOf } from "./support/world.ts";

function problemsOf(input: unknown): unknown {
  return failureOf(() => readAgentSpec(input), "INVALID_AGENT_SPEC").details.problems;
}

it("gives every field that may be left out its default", () => {
  expect(readAgentSpec({ id: "a" })).toEqual({
    id: "a",
    name: "a",
    description: "",
    system_prompt: "",
    plugin_ids: [],
    sections: {},
    excluded_tools: [],
    excluded_tool_patterns: [],
    max_rounds: 10,
    stop_condition_specs: [],
    stop_condition_ids: [],
    tool_execution_mode: "parallel_streaming",
    partial_suspension: "wait",
    start_reads_early: false,
    tool_concurrency: {},
    chat_options: {},
    fallback_models: [],
    client_overrides: false,
  });
});

const FULL = {
  id: "a",
  name: "Anna",
  description: "d",
  model: "m",
  system_prompt: "s",
  plugin_ids: ["p"],
  sections: { x: { y: [1, null] } },
  context_policy: { max_context_tokens: 1000 },
  delegates: ["b"],
  allowed_tools: ["t"],
  allowed_tool_patterns: ["t*"],
  excluded_tools: ["u"],
  excluded_tool_patterns: ["u*"],
  allowed_skills: [],
  allowed_skill_patterns: ["s*"],
  excluded_skills: ["s"],
  excluded_skill_patterns: ["*"],
  allowed_agents: ["b"],
  allowed_agent_patterns: ["b*"],
  excluded_agents: ["c"],
  excluded_agent_patterns: ["c*"],
  max_rounds: 3,
  stop_condition_specs: [
    { type: "max_rounds", rounds: 2 },
    { type: "timeout", seconds: 1.5 },
    { type: "token_budget", max_total: 0 },
    { type: "consecutive_errors", max: 1 },
    { type: "stop_on_tool", tool_name: "t" },
    { type: "content_match", pattern: "" },
    { type: "loop_detection", window: 1 },
  ],
  stop_condition_ids: ["mine"],
  tool_execution_mode: "sequential",
  partial_suspension: "continue",
  start_reads_early: true,
  tool_concurrency: { t: { max: 2 }, u: {} },
  chat_options: { temperature: 0 },
  budget: { limit_tokens: 1_000, on_exceeded: "pause" },
  output_schema: { type: "object" },
  fallback_models: ["n", { model: "spare", provider: "p", max_attempts: 2, backoff_ms: 10 }],
  llm_retry_policy: { max_attempts_per_model: 3, backoff_jitter_percent: 0 },
  client_overrides: true,
};

it("takes every field as it is", () => {
  expect(readAgentSpec(FULL)).toEqual(FULL);
});

it("covers every field of the table with the sample above, but those of agents without a model of their own", () => {
  const names = AGENT_SPEC_FIELDS.map(({ name }) => name);
  expect(names.filter((name) => !Object.hasOwn(FULL, name))).toEqual(["endpoint", "compose", "program"]);
});

it("reads its own result as itself", () => {
  for (const input of [FULL, { id: "r", kind: "a2a", endpoint: "https://far.test", poll_interval_ms: 5 }]) {
    const once = readAgentSpec(input);
    expect(readAgentSpec(once)).toEqual(once);
  }
});

it.each([
  ["model_id", "model", "m"],
  ["instructions", "system_prompt", "s"],
  ["behavior_ids", "plugin_ids", ["p"]],
  ["fallback_chain", "fallback_models", ["m"]],
  ["retry_policy", "llm_retry_policy", { max_attempts_per_model: 2 }],
])("takes %s for %s, but not both", (alias, name, value) => {
  expect(readAgentSpec({ id: "a", [alias]: value })).toHaveProperty(name, value);
  expect(readAgentSpec({ id: "a", [alias]: value })).not.toHaveProperty(alias);
  expect(problemsOf({ id: "a", [alias]: value, [name]: value })).toEqual([
    `\`${name}\` and \`${alias}\` are names of one field; give one of them`,
  ]);
});

it.each([
  ["maxRound", "maxRounds"],
  ["excluded_tool", "excluded_tools"],
  ["modle", "model"],
])("names the nearest field for the unknown %s", (given, nearest) => {
  expect(problemsOf({ id: "a", [given]: 1 })).toEqual([`\`${given}\` is not known (the nearest is \`${nearest}\`)`]);
});

it("takes every field in camelCase as well, and gives keys that are data back as they are", () => {
  const written = {
    id: "a",
    maxRounds: 3,
    contextPolicy: { maxContextTokens: 9 },
    retryPolicy: { maxAttemptsPerModel: 2 },
    stopWhen: [{ type: "stop_on_tool", toolName: "doIt" }],
    fallbackModels: ["n", { model: "m", maxAttempts: 2 }],
    budget: { limitTokens: 5, onExceeded: "pause" },
    chatOptions: { topP: 1, myOwn: { deepKey: 1 } },
    toolConcurrency: { bookRoom: { max: 2 } },
    sections: { myPlugin: { maxAmount: 1 } },
    endpoint: { url: "https://far.test", remoteAgentId: "b" },
  };
  expect(readAgentSpec(written)).toMatchObject({
    max_rounds: 3,
    context_policy: { max_context_tokens: 9 },
    llm_retry_policy: { max_attempts_per_model: 2 },
    stop_condition_specs: [{ type: "stop_on_tool", tool_name: "doIt" }],
    fallback_models: ["n", { model: "m", max_attempts: 2 }],
    budget: { limit_tokens: 5, on_exceeded: "pause" },
    chat_options: { top_p: 1, myOwn: { deepKey: 1 } },
    tool_concurrency: { bookRoom: { max: 2 } },
    sections: { myPlugin: { maxAmount: 1 } },
    endpoint: { url: "https://far.test", remote_agent_id: "b" },
  });
});

it("suggests nothing for a field that is like none", () => {
  expect(problemsOf({ id: "a", zzzzzzzz: 1 })).toEqual(["`zzzzzzzz` is not known"]);
});

it("reports every problem at once", () => {
  const broken = {
    max_rounds: 0,
    plugin_ids: "p",
    delegates: ["b", 7],
    tool_execution_mode: "fast",
    excluded_tool_patterns: ["ok*", "bad\\"],
    stop_condition_specs: [{ type: "timeout" }, { type: "nap" }, { type: "max_rounds", rounds: 1, minutes: 2 }],
    llm_retry_policy: { max_attempts: 2 },
    allowed_tools: null,
  };
  expect(problemsOf(broken)).toEqual([
    "`id` is required",
    "`plugin_ids` must be an array (got a string)",
    "`allowed_tools` must be an array (got null)",
    '`excluded_tool_patterns`[1]: the pattern "bad\\\\" ends in a lone \\',
    "`delegates`[1] must be a non-empty string (got 7)",
    "`max_rounds` must be a whole number of at least 1 (got 0)",
    "`stop_condition_specs`[0].seconds is required",
    '`stop_condition_specs`[1].type must be one of max_rounds, timeout, token_budget, consecutive_errors, stop_on_tool, content_match, loop_detection (got "nap")',
    "`stop_condition_specs`[2].minutes is not known",
    '`tool_execution_mode` must be one of sequential, parallel_batch_approval, parallel_streaming (got "fast")',
    "`llm_retry_policy`.max_attempts is not known (the nearest is `max_attempts_per_model`)",
  ]);
});

it.each([[null], [[]], ["a"], [undefined]])("refuses %j, which is no object", (input) => {
  expect(problemsOf(input)).toHaveLength(1);
});

it("refuses what is not JSON inside a section", () => {
  expect(problemsOf({ id: "a", sections: { x: { when: new Date(0) } } })).toHaveLength(1);
});

it("reads a remote agent with its fields beside the endpoint", () => {
  const auth = { kind: "bearer_token", token: "secret" };
  const flat = {
    id: "r",
    kind: "a2a",
    endpoint: "https://far.test/v1",
    remote_agent_id: "x",
    poll_interval_ms: 250,
    auth,
  };
  const nested = {
    id: "r",
    endpoint: { url: "https://far.test/v1", remote_agent_id: "x", poll_interval_ms: 250, auth },
  };
  expect(readAgentSpec(flat).endpoint).toEqual(nested.endpoint);
  expect(readAgentSpec(nested)).toEqual(readAgentSpec(flat));
  expect(readAgentSpec(flat)).not.toHaveProperty("kind");
});

it("takes the agent's own id for the remote one when none is given", () => {
  expect(readAgentSpec({ id: "r", endpoint: "https://far.test" }).endpoint).toEqual({
    url: "https://far.test",
    remote_agent_id: "r",
  });
});

it.each([
  [{ kind: "a2a" }, "`kind` a2a needs `endpoint`"],
  [{ poll_interval_ms: 1 }, "`poll_interval_ms` needs `endpoint`"],
  [{ kind: "local", endpoint: "https://far.test" }, "`kind` local and `endpoint` contradict each other"],
  [{ kind: "a2a", endpoint: { url: "x:y", backend: "other" } }, "`kind` a2a and `endpoint.backend` differ"],
  [
    { endpoint: { url: "https://far.test", remote_agent_id: "x" }, remote_agent_id: "y" },
    "`remote_agent_id` is given inside `endpoint` and beside it; keep one of them",
  ],
])("refuses the contradiction %j", (fields, problem) => {
  expect(problemsOf({ id: "r", ...fields })).toEqual([problem]);
});

it("keeps secrets out of its messages", () => {
  for (const auth of [{ kind: "bearer_token", token: 424242 }, "Bearer 424242"]) {
    const read = () => readAgentSpec({ id: "r", endpoint: "https://far.test", auth });
    const { message } = failureOf(read, "INVALID_AGENT_SPEC");
    expect(message).toContain("auth");
    expect(message).not.toContain("424242");
  }
});

it("keeps a frozen copy, so that nobody changes an agent behind its back", () => {
  const input = { id: "a", sections: { x: { list: [1] } } };
  const spec = readAgentSpec(input);
  input.sections.x.list.push(2);
  expect(spec.sections).toEqual({ x: { list: [1] } });
  expect(Object.isFrozen(spec.sections.x)).toBe(true);
});

it("describes the same fields in its JSON Schema", () => {
  const validate = compileSchema(agentSpecSchema());
  expect(validate(FULL)).toBeUndefined();
  expect(validate({ id: "a", behavior_ids: ["p"], kind: "local" })).toBeUndefined();
  expect(validate({ id: "a", max_rounds: 0 })).toContain("max_rounds");
  expect(validate({ model: "m" })).toContain("id");
});
