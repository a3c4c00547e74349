import { RepriseError } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { checkWorkflowDocument, parseWorkflow, readWorkflow, readWorkflowAgent } from "./read-workflow.ts";
import { formatProblem, type WorkflowProblem } from "./workflow-problem.ts";

/** A document around some fields of the workflow, written as JSON so that YAML has nothing to do with it. */
function document(workflow: object): string {
  const nodes = [{ id: "start", type: "input" }];
  return JSON.stringify({ schema_version: "1.0", workflow: { id: "w", nodes, ...workflow } });
}

const told = (workflow: object): readonly string[] =>
  parseWorkflow(document(workflow)).problems.map(({ message }) => message);
const nodeTold = (...nodes: readonly object[]): readonly string[] => told({ nodes });
const agents = [{ id: "critic", model: "m", provider: "p", tools: ["read"] }];

it("reads a document in YAML and in JSON", () => {
  const yaml = "schema_version: '1.0'\nworkflow:\n  id: w\n  nodes:\n    - { id: start, type: input }\n";
  expect(readWorkflow(yaml)).toEqual(readWorkflow(document({}), { format: "json" }));
});

it("lists every problem with file, line and column, in the order of the text", () => {
  const yaml = `schema_version: "1.0"
workflow:
  id: My Workflow
  nodes:
    - id: a
      type: agent
      agent_reff: critic
    - id: b
      type: wait
    - id: b
      type: tool
`;
  expect(parseWorkflow(yaml, { file: "w.yaml" }).problems.map(formatProblem)).toEqual([
    'w.yaml:3:3: workflow.id must be a name in kebab-case (got "My Workflow").',
    "w.yaml:5:7: workflow.nodes[0].agent_ref is required.",
    "w.yaml:5:7: workflow.nodes[0].prompt_template is required.",
    "w.yaml:7:7: workflow.nodes[0].agent_reff is not known (the nearest is `agent_ref`).",
    "w.yaml:8:7: workflow.nodes[1] must have exactly one of `duration_ms` and `event` (got 0).",
    "w.yaml:10:7: workflow.nodes[2].tool is required.",
  ]);
});

it("throws one error with all problems in its details", () => {
  try {
    readWorkflow(document({ id: "A B", nodez: [] }), { file: "w.json" });
    expect.unreachable();
  } catch (error) {
    if (!RepriseError.is(error, "WORKFLOW_INVALID")) throw error;
    expect(error.message).toMatch(/^w\.json has 2 problems:\n {2}w\.json:1:37: workflow\.id must be/);
    const problems = error.details.problems as readonly WorkflowProblem[];
    expect(problems.map(({ kind, path }) => [kind, path])).toEqual([
      ["shape", "workflow.id"],
      ["shape", "workflow.nodez"],
    ]);
  }
});

describe("definitions of inputs", () => {
  it.each([
    [
      { type: "number", validation: { min: 3, max: 1 } },
      "workflow.inputs[0].validation.min must not exceed `max` (3 > 1).",
    ],
    [
      { type: "string", validation: { min_length: 3, max_length: 1 } },
      "workflow.inputs[0].validation.min_length must not exceed `max_length` (3 > 1).",
    ],
    [
      { type: "number", validation: { pattern: "a" } },
      "workflow.inputs[0].validation.pattern does not apply to the type number (its rules are min, max, enum).",
    ],
    [
      { type: "boolean", validation: { enum: [true] } },
      "workflow.inputs[0].validation.enum does not apply to the type boolean (it has no rules).",
    ],
    [
      { type: "string", validation: { pattern: "(" } },
      "workflow.inputs[0].validation.pattern must be a regular expression of JavaScript.",
    ],
    [{ type: "number", default: "1" }, "workflow.inputs[0].default must be a number (got a string)."],
    [
      { type: "string", default: "c", validation: { enum: ["a", "b"] } },
      "workflow.inputs[0].default must be one of a, b.",
    ],
    [
      { type: "number", validation: { enum: ["a"] } },
      "workflow.inputs[0].validation.enum[0] must be a number (got a string).",
    ],
    [
      { type: "secret", default: "s3cret" },
      "workflow.inputs[0].default must be the name of an environment variable, as in GITHUB_TOKEN, never the secret itself.",
    ],
    [
      { type: "secret", validation: { enum: ["A_TOKEN", "ghp_1"] } },
      "workflow.inputs[0].validation.enum[1] must be the name of an environment variable, as in GITHUB_TOKEN, never the secret itself.",
    ],
    [
      { type: "secret" },
      "workflow.inputs[0] is a secret and needs `default` or `validation.enum`: the names of the secrets it may be.",
    ],
    [{ type: "string", name: "constructor" }, 'workflow.inputs[0].name must not be "constructor".'],
  ])("refuses %j", (input, message) => {
    expect(told({ inputs: [{ name: "a", ...input }] })).toEqual([message]);
  });

  it("refuses two inputs of one name", () => {
    const input = { name: "a", type: "string" };
    expect(told({ inputs: [input, input] })).toEqual([
      'workflow.inputs[1].name is the name of another input already ("a").',
    ]);
  });
});

describe("rules of nodes", () => {
  const branch = (when: unknown) => ({ when, to: "start" });

  it.each([
    [{ type: "wait", duration_ms: 1, event: "e" }, "must have exactly one of `duration_ms` and `event` (got 2)."],
    [{ type: "output", save_to: "/etc/passwd" }, ".save_to must be a relative path of a file, without `..`."],
    [{ type: "output", save_to: "a/../../b" }, ".save_to must be a relative path of a file, without `..`."],
    [{ type: "output", save_to: "C:\\a" }, ".save_to must be a relative path of a file, without `..`."],
    [{ type: "output", save_to: "{{ inputs.a }}.md" }, ".save_to may have `{{ run.id }}` in it and nothing else."],
    [{ type: "merge", strategy: "custom" }, "needs `merge_fn` for the strategy custom."],
    [{ type: "merge", strategy: "concat", merge_fn: "1" }, ".merge_fn is for the strategy custom."],
    [{ type: "parallel", parallel_of: [] }, ".parallel_of must name at least one node."],
    [
      { type: "condition", expression: "1", branches: [branch(true), branch("true")] },
      ".branches[1].when is the value of another branch already (true).",
    ],
    [
      { type: "condition", expression: "1", branches: [branch("default")] },
      '.branches[0].when must not be "default": use the field `default`.',
    ],
    [{ type: "condition", expression: "1", branches: [] }, ".branches must have at least one branch."],
    [
      { type: "human_gate", gate_type: "approval", message_template: "?", timeout_action: "approve" },
      ".timeout_action needs `timeout_ms`.",
    ],
    [
      { type: "human_gate", gate_type: "input", message_template: "?", response_schema: { type: "nonsense" } },
      ".response_schema: This is not a JSON Schema",
    ],
    [{ type: "fan_out", over: "[]", body: { nodes: [] } }, ".body.nodes must have at least one node."],
    [
      { type: "fan_out", over: "[]", as: "run", body: { nodes: [{ id: "x", type: "input" }] } },
      ".as must not be one of inputs, ctx, run",
    ],
  ])("refuses %j", (node, message) => {
    expect(nodeTold({ id: "n", ...node })).toEqual([expect.stringContaining(message)]);
  });

  it.each([
    [{ type: "input", retry: { max: 2 } }, "retry does nothing at a node of the type input"],
    [{ type: "parallel", parallel_of: ["n"], timeout_ms: 1 }, "timeout_ms does nothing at a node of the type parallel"],
    [
      { type: "loop", while: "false", max_iterations: 1, body: { nodes: [{ id: "x", type: "input" }] }, timeout_ms: 1 },
      "timeout_ms does nothing at a node of the type loop",
    ],
    [
      { type: "subworkflow", workflow_ref: "w", timeout_ms: 1 },
      "timeout_ms does nothing at a node of the type subworkflow",
    ],
    [
      { type: "human_gate", gate_type: "review", message_template: "?", concurrency: { key: "k", limit: 1 } },
      "concurrency does nothing at a node of the type human_gate",
    ],
    [{ type: "wait", duration_ms: 5, timeout_ms: 1 }, "timeout_ms is for `event`"],
    [
      { type: "agent", agent_ref: "of-the-runtime", prompt_template: "?", output_schema: {} },
      "output_schema does nothing at a node whose agent (of-the-runtime) is not in the document",
    ],
  ])("refuses a field that would be ignored, %j", (node, message) => {
    expect(nodeTold({ id: "n", ...node })).toEqual([expect.stringContaining(message)]);
  });

  it("takes ids once in the whole document, bodies included", () => {
    const body = { nodes: [{ id: "a", type: "input" }] };
    expect(nodeTold({ id: "a", type: "input" }, { id: "f", type: "fan_out", over: "[]", body })).toEqual([
      'workflow.nodes[1].body.nodes[0].id is the name of another node already ("a").',
    ]);
  });

  it("looks into bodies, also beside mistakes of the shape", () => {
    const body = {
      nodes: [
        { id: "x", type: "nothing" },
        { id: "y", type: "wait" },
      ],
    };
    const messages = nodeTold({ id: "f", type: "fan_out", over: "[]", body });
    expect(messages).toEqual([
      expect.stringContaining("workflow.nodes[0].body.nodes[0].type must be one of"),
      expect.stringContaining("workflow.nodes[0].body.nodes[1] must have exactly one of"),
    ]);
  });

  it("holds the inputs of a trigger against those of the workflow; a webhook may leave some to its requests", () => {
    const inputs = [
      { name: "day", type: "string", required: true },
      { name: "count", type: "number" },
    ];
    const schedule = { type: "schedule", cron: "0 2 * * *" };
    expect(told({ inputs, trigger: schedule })).toEqual(["workflow.trigger.inputs.day: inputs.day is required."]);
    expect(told({ inputs, trigger: { ...schedule, inputs: { day: "monday", count: 2 } } })).toEqual([]);
    const webhook = { type: "webhook", secret: "HOOK_SECRET" };
    expect(told({ inputs, trigger: webhook })).toEqual([]);
    expect(told({ inputs, trigger: { ...webhook, inputs: { count: "two", dya: "x" } } })).toEqual([
      "workflow.trigger.inputs.count: inputs.count must be a number (got a string).",
      "workflow.trigger.inputs.dya: inputs.dya is not known. The workflow has day, count.",
    ]);
  });

  it("refuses a restart from a node that does not exist", () => {
    expect(told({ upgrade: { restart_from: "nowhere" } })).toEqual([
      'workflow.upgrade.restart_from names no node of the workflow ("nowhere").',
    ]);
  });
});

describe("agents", () => {
  const node = { id: "n", type: "agent", agent_ref: "critic", prompt_template: "?" };

  it("lets a node narrow the tools of its agent and refuses to widen them", () => {
    expect(told({ agents, nodes: [{ ...node, tools: ["read"] }] })).toEqual([]);
    expect(told({ agents, nodes: [{ ...node, tools: ["read", "write"] }] })).toEqual([
      'workflow.nodes[0].tools[1] is not a tool of agent critic ("write"): a node may only narrow the agent\'s tools.',
    ]);
  });

  it("refuses an agent that neither the document nor the runtime has, when the runtime's are known", () => {
    const text = document({ agents, nodes: [{ ...node, agent_ref: "crtic" }] });
    expect(parseWorkflow(text).problems).toEqual([]);
    expect(parseWorkflow(text, { runtimeAgents: ["crtic"] }).problems).toEqual([]);
    expect(parseWorkflow(text, { runtimeAgents: ["writer"] }).problems.map(({ message }) => message)).toEqual([
      'workflow.nodes[0].agent_ref names no agent ("crtic"; known: critic, writer).',
    ]);
  });

  it("makes agents of files part of the document when nodes name them", () => {
    const critic = readWorkflowAgent("id: critic\nmodel: m\nprovider: p\n");
    const other = { ...critic, id: "other" };
    const { workflow } = readWorkflow(document({ nodes: [node] }), { agents: [critic, other] });
    expect(workflow.agents).toEqual([critic]);
  });

  it("lists every problem of an agent file", () => {
    expect(() => readWorkflowAgent("id: critic\ntemperature: 3\n", { file: "critic.yaml" })).toThrow(
      /critic\.yaml has 3 problems:\n.*model is required\.\n.*provider is required\.\n.*temperature must be a number from 0 to 2/,
    );
  });
});

describe("templates and expressions", () => {
  const inputs = [{ name: "repo", type: "string" }];
  const agent = (prompt_template: string) => ({ id: "n", type: "agent", agent_ref: "critic", prompt_template });

  it.each([
    ["{{ inputs.rpo }}", ".prompt_template: inputs.rpo is not known (the nearest is repo)."],
    ["{{ ctx.k }}", ".prompt_template: ctx.k is not known (known: none)."],
    ["{{ run.id }}", ".prompt_template: run.id can be used in `save_to` only."],
    ["{{ item }}", ".prompt_template: item is not known (known: inputs, ctx, run)."],
    [
      "{{ inputs.repo | upper }}",
      "the filter `upper` is not known (the filters are read_file, json, length, default).",
    ],
    ["{{ inputs.repo", "`{{` has no `}}`."],
  ])("refuses %s", (prompt, message) => {
    expect(told({ inputs, nodes: [agent(prompt)] })).toEqual([expect.stringContaining(message)]);
  });

  it("knows the names of the bodies that a node stands in", () => {
    const body = { nodes: [{ ...agent("{{ file }} {{ index }} {{ iteration }} {{ last }}"), id: "inner" }] };
    const loop = { id: "l", type: "loop", while: "iteration < 3", max_iterations: 3, body };
    const fan = { id: "f", type: "fan_out", over: "[]", as: "file", body: { nodes: [loop] } };
    expect(told({ nodes: [fan] })).toEqual([]);
    expect(told({ nodes: [loop] })).toHaveLength(2);
  });

  it("checks the inputs and context that expressions read, and leaves methods alone", () => {
    const transform = (expression: string) => ({ id: "t", type: "transform", expression });
    expect(told({ inputs, nodes: [transform("inputs.repo.length + inputs.hasOwnProperty('x')")] })).toEqual([]);
    expect(told({ inputs, nodes: [transform("inputs['rpo']")] })).toEqual([
      "workflow.nodes[0].expression: inputs.rpo is not known (the nearest is repo).",
    ]);
  });

  it("lets the context use inputs alone", () => {
    expect(
      told({ inputs, context: { a: "{{ inputs.repo }}", b: ["{{ run.outputs.start }}"], c: "{{ ctx.a }}" } }),
    ).toEqual([
      "workflow.context.b[0]: run.outputs.start cannot be used here: outputs are not known before the nodes have run.",
      "workflow.context.c: ctx.a cannot be used here: only inputs can.",
    ]);
  });
});

it("checks a document that is already JSON", () => {
  expect(checkWorkflowDocument(JSON.parse(document({}))).workflow.id).toBe("w");
  expect(() => checkWorkflowDocument({ workflow: 5 })).toThrow(/schema_version is required/);
  expect(() => checkWorkflowDocument(null)).toThrow(/The document must be an object/);
});
