import { Secret } from "@reprise/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { parseWorkflow, readWorkflowAgent } from "./read-workflow.ts";
import { revealSecrets } from "./reveal-secrets.ts";

const inputs = [
  { name: "token", type: "secret", default: "MAIN_TOKEN" },
  { name: "repo", type: "string" },
];

function told(workflow: object): readonly string[] {
  const text = JSON.stringify({ schema_version: "1.0", workflow: { id: "w", inputs, ...workflow } });
  return parseWorkflow(text).problems.map(({ kind, message }) => `${kind} ${message}`);
}

const WRITER = { id: "a", model: "m", provider: "p" };
const agent = { id: "n", type: "agent", agent_ref: "a", prompt_template: "?" };
const tool = (args: object) => ({ id: "n", type: "tool", tool: "t", arguments: args });

it.each([
  [
    "a prompt",
    { nodes: [{ ...agent, prompt_template: "{{ inputs.token }}" }] },
    "nodes[0].prompt_template",
    "inputs.token → here",
  ],
  [
    "an addition to the instructions",
    { agents: [WRITER], nodes: [{ ...agent, system_prompt_append: "k: {{ inputs.token }}" }] },
    "nodes[0].system_prompt_append",
    "inputs.token → here",
  ],
  [
    "instructions",
    { agents: [{ id: "a", model: "m", provider: "p", system_prompt: "{{ inputs.token }}" }], nodes: [agent] },
    "agents[0].system_prompt",
    "inputs.token → here",
  ],
  [
    "instructions in which another slot cannot be read",
    { agents: [WRITER], nodes: [{ ...agent, system_prompt_append: "{{ x + }} k {{ inputs.token }}" }] },
    "nodes[0].system_prompt_append",
    "inputs.token → here",
  ],
  [
    "a slot that cannot be read",
    { agents: [{ ...WRITER, system_prompt: 'k: {{ x["}}"] + inputs . token | upper }}' }], nodes: [agent] },
    "agents[0].system_prompt",
    "inputs.token → here",
  ],
  [
    "all outputs",
    {
      nodes: [
        { id: "i", type: "input" },
        { ...agent, prompt_template: "{{ run.outputs | json }}" },
      ],
    },
    "nodes[1].prompt_template",
    "inputs.token → run.outputs.i → run.outputs → here",
  ],
  [
    "a text of an argument",
    { nodes: [tool({ header: "Bearer {{ inputs.token }}" })] },
    "nodes[0].arguments.header",
    "inputs.token → here",
  ],
  [
    "a filtered argument",
    { nodes: [tool({ n: "{{ inputs.token | length }}" })] },
    "nodes[0].arguments.n",
    "inputs.token → here",
  ],
  [
    "all inputs",
    { nodes: [{ ...agent, prompt_template: "{{ inputs | json }}" }] },
    "nodes[0].prompt_template",
    "inputs.token → inputs → here",
  ],
  [
    "the context",
    { context: { h: "Bearer {{ inputs.token }}" }, nodes: [{ ...agent, prompt_template: "{{ ctx.h }}" }] },
    "nodes[0].prompt_template",
    "inputs.token → ctx.h → here",
  ],
  [
    "the context as an argument",
    { context: { h: "Bearer {{ inputs.token }}" }, nodes: [tool({ h: "{{ ctx.h }}" })] },
    "nodes[0].arguments.h",
    "inputs.token → ctx.h → here",
  ],
  [
    "the deep context",
    { context: { h: { x: ["{{ inputs.token }}"] } }, nodes: [tool({ h: "{{ ctx.h.x[0] }}" })] },
    "nodes[0].arguments.h",
    "inputs.token → ctx.h → ctx.h.x[0] → here",
  ],
  [
    "an input node",
    {
      nodes: [
        { id: "i", type: "input" },
        { ...agent, prompt_template: "{{ run.outputs.i.token }}" },
      ],
    },
    "nodes[1].prompt_template",
    "inputs.token → run.outputs.i → run.outputs.i.token → here",
  ],
  [
    "a gate",
    { nodes: [{ id: "g", type: "human_gate", gate_type: "approval", message_template: "{{ inputs.token }}" }] },
    "nodes[0].message_template",
    "inputs.token → here",
  ],
  [
    "an expression",
    { nodes: [{ id: "t", type: "transform", expression: "inputs?.['token']" }] },
    "nodes[0].expression",
    "inputs.token → here",
  ],
  [
    "a condition of an edge",
    { nodes: [{ id: "i", type: "input" }, agent], edges: [{ from: "i", to: "n", condition: "inputs.token === ''" }] },
    "edges[0].condition",
    "inputs.token → here",
  ],
  [
    "a key",
    { concurrency: { key: "{{ inputs.token }}", limit: 1 }, nodes: [agent] },
    "concurrency.key",
    "inputs.token → here",
  ],
  [
    "a body",
    {
      nodes: [
        {
          id: "f",
          type: "fan_out",
          over: "[]",
          body: { nodes: [{ ...agent, prompt_template: "{{ inputs.token }}" }] },
        },
      ],
    },
    "nodes[0].body.nodes[0].prompt_template",
    "inputs.token → here",
  ],
])("refuses a secret that reaches a text through %s, and names the way", (_, workflow, path, way) => {
  const [problem, ...others] = told(workflow);
  expect(others).toEqual([]);
  expect(problem).toContain(
    `secret workflow.${path}: the secret input \`token\` cannot become part of a text (${way})`,
  );
});

it("there are no secrets in texts that are sent as they are written, also in a workflow without secret inputs", () => {
  const says = "secrets.API_KEY cannot become part of a text: it is sent as it is written";
  const text = "Use {{ secrets.API_KEY }}.";
  const append = { agents: [WRITER], nodes: [{ ...agent, system_prompt_append: text }] };
  const system = { agents: [{ ...WRITER, system_prompt: text }], nodes: [agent] };
  for (const workflow of [append, system]) {
    expect(told(workflow)).toEqual([expect.stringContaining(says)]);
    expect(told({ ...workflow, inputs: [] })).toEqual([expect.stringContaining(says)]);
  }
  const file = JSON.stringify({ ...WRITER, system_prompt: text });
  expect(() => readWorkflowAgent(file)).toThrow(says);
  expect(told({ nodes: [{ ...agent, prompt_template: text }] })).toEqual([
    expect.stringContaining("secrets is not known"),
  ]);
});

it("says nothing of texts that only talk about inputs", () => {
  const system_prompt_append =
    "Your inputs.token is safe. {{ inputs.repo }} and {{ my.inputs.token }} {{ x }} inputs.token";
  expect(told({ agents: [WRITER], nodes: [{ ...agent, system_prompt_append }] })).toEqual([]);
});

const spaces = fc.constantFrom("", " ", "\n\t ");
const ways = fc.constantFrom(".token", " . token", '["token"]', "['token']", '[ "token" ]', "?.token");

/** Text with everything in it that slots are made of. */
const noise = fc
  .array(
    fc.oneof(
      fc.constantFrom("{{", "}}", "{", "}", '"', "'", "|", "x + ", "\\", "{{ inputs.repo }}", "//", "/*", "\n"),
      fc.string(),
    ),
  )
  .map((parts) => parts.join(""));

it("finds a secret in instructions, whatever stands around it", () => {
  fc.assert(
    fc.property(noise, noise, spaces, ways, spaces, (before, after, left, way, right) => {
      const text = `${before}{{${left}inputs${way}${right}}}${after}`;
      expect(told({ agents: [WRITER], nodes: [{ ...agent, system_prompt_append: text }] })).toContainEqual(
        expect.stringMatching(/^secret .*the secret input `token`/),
      );
    }),
  );
});

it("no prompt with a secret is read, whatever stands around it", () => {
  // In a string of a slot a reference would be no reference.
  const plain = noise.map((text) => text.replaceAll('"', "'"));
  fc.assert(
    fc.property(plain, plain, spaces, ways, spaces, (before, after, left, way, right) => {
      const text = `${before}{{${left}inputs${way}${right}}}${after}`;
      expect(told({ nodes: [{ ...agent, prompt_template: text }] })).not.toEqual([]);
    }),
  );
});

it("lets a secret be a whole argument of a tool and a whole input of a sub-workflow, directly or through the context", () => {
  const context = { alias: "{{ inputs.token }}" };
  const args = { token: "{{ inputs.token }}", deep: [{ k: "{{ctx.alias}}" }], url: "https://x/{{ inputs.repo }}" };
  expect(
    told({
      context,
      nodes: [tool(args), { id: "s", type: "subworkflow", workflow_ref: "other", inputs: { t: "{{ inputs.token }}" } }],
    }),
  ).toEqual([]);
});

it("reveals secrets only where the document has them", () => {
  const authored = { token: "{{ inputs.token }}", deep: [{ k: "{{ ctx.alias }}" }], forged: "{{ run.outputs.model }}" };
  const mask = { secret: true, ref: "inputs.token" };
  const resolved = { token: mask, deep: [{ k: mask }], forged: mask };
  const workflow = {
    id: "w",
    nodes: [],
    context: { alias: "{{ inputs.token }}" },
    inputs: [{ name: "token", type: "secret" as const }],
  };
  const secrets = new Map([["token", new Secret("s3cret")]]);
  expect(revealSecrets({ workflow, authored, resolved, secrets })).toEqual({
    value: { token: "s3cret", deep: [{ k: "s3cret" }], forged: mask },
    missing: [],
  });
  expect(revealSecrets({ workflow, authored, resolved, secrets: new Map() })).toEqual({
    value: resolved,
    missing: ["token"],
  });
});
