import { join } from "node:path";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { runCli } from "./support/run-cli.ts";
import { runHere } from "./support/run-here.ts";

const GOOD = `schema_version: "1.0"
workflow:
  id: review
  inputs:
    - { name: text, type: string, required: true }
  nodes:
    - { id: start, type: input }
    - { id: check, type: condition, expression: "inputs.text.length > 3", branches: [{ when: true, to: read }], default: done }
    - { id: read, type: agent, agent_ref: critic, prompt_template: "Read {{ inputs.text }}" }
    - { id: done, type: output }
  edges:
    - { from: start, to: check }
    - { from: read, to: done }
`;

const BROKEN = `schema_version: "1.0"
workflow:
  id: review
  nodes:
    - { id: a, type: transform, expression: "run.outputs.b +" }
    - { id: b, type: transform, expression: run.outputs.a }
  edges:
    - { from: a, to: nowhere }
`;

const AGENT = "id: critic\nmodel: m\nprovider: p\n";

it("validates documents with the agents of other files", async () => {
  const folder = createTemporaryFolder({ "good.yaml": GOOD, "critic.yaml": AGENT });
  const [good, critic] = [join(folder, "good.yaml"), join(folder, "critic.yaml")];
  expect(await runHere("workflow", "validate", good, critic)).toEqual({
    code: 0,
    stdout: `${good} is in order.\n${critic} is in order.\n`,
    stderr: "",
  });
});

it("lists every problem of every file as file:line:column, and leaves with 2", async () => {
  const folder = createTemporaryFolder({
    "broken.yaml": BROKEN,
    "critic.yaml": "id: critic\n",
    "other.json": '{"workflow": 1}',
  });
  const [broken, critic, other] = ["broken.yaml", "critic.yaml", "other.json"].map((name) => join(folder, name));
  const { code, stdout, stderr } = await runHere("workflow", "validate", String(broken), String(critic), String(other));
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  expect(stdout.trimEnd().split("\n")).toEqual([
    `${critic}:1:1: model is required.`,
    `${critic}:1:1: provider is required.`,
    `${broken}:5:7: workflow.nodes[0] waits for itself: a → b → a.`,
    expect.stringMatching(
      /broken\.yaml:5:33: workflow\.nodes\[0\]\.expression: The expression failed: SyntaxError: .*\.$/,
    ),
    `${broken}:8:18: workflow.edges[0].to names no node of this graph ("nowhere").`,
    `${other}:1:1: schema_version is required.`,
    `${other}:1:2: workflow must be an object (got a number).`,
  ]);
  const json = await runHere("workflow", "validate", String(broken), "--json");
  expect(json.code).toBe(2);
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: false,
    problems: [{ kind: "cycle", line: 5, column: 7 }, {}, {}],
  });
});

it("finds a schedule that never fires", async () => {
  const yaml = `schema_version: "1.0"
workflow:
  id: nightly
  trigger: { type: schedule, cron: "61 * * * *" }
  nodes: [{ id: out, type: output }]
`;
  const folder = createTemporaryFolder({ "nightly.yaml": yaml });
  const { code, stdout } = await runHere("workflow", "validate", join(folder, "nightly.yaml"));
  expect([code, stdout]).toEqual([2, expect.stringMatching(/nightly\.yaml:4:3: workflow\.trigger: .*61/)]);
});

it("names a file that does not exist, and asks for one", async () => {
  expect(await runHere("workflow", "validate", "/nowhere.yaml")).toMatchObject({
    code: 2,
    stderr: "error: There is no file /nowhere.yaml.\n",
  });
  const { code, stderr } = await runHere("workflow", "validate");
  expect(code).toBe(2);
  expect(stderr).toContain("Missing argument <files...>.");
});

it("draws the plan as Mermaid and as JSON", async () => {
  const folder = createTemporaryFolder({ "good.yaml": GOOD, "broken.yaml": BROKEN });
  const { code, stdout } = await runHere("workflow", "graph", join(folder, "good.yaml"));
  expect(code).toBe(0);
  expect(stdout).toBe(`flowchart TD
  n0(["start (input)"])
  n1{"check (condition)"}
  n2["read (agent)"]
  n3(["done (output)"])
  n0 --> n1
  n1 -->|"true"| n2
  n1 -->|"default"| n3
  n2 --> n3
`);
  const json = await runHere("workflow", "graph", join(folder, "good.yaml"), "--format", "json");
  expect(JSON.parse(json.stdout)).toMatchObject({
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    vertices: [{ id: "start" }, { id: "check" }, {}, {}],
  });
  const broken = await runHere("workflow", "graph", join(folder, "broken.yaml"));
  expect(broken.code).toBe(2);
  expect(broken.stderr).toContain("waits for itself");
});

it("prints the schema for editors", async () => {
  const { stdout } = await runHere("workflow", "schema");
  expect(JSON.parse(stdout)).toMatchObject({ title: "Reprise workflow" });
});

const GREET = `schema_version: "1.0"
workflow:
  id: greet
  inputs:
    - { name: name, type: string, required: true }
    - { name: times, type: number, default: 1 }
  nodes:
    - { id: text, type: transform, expression: '("Hello " + inputs.name + "! ").repeat(inputs.times).trim()' }
    - { id: ask, type: human_gate, gate_type: approval, message_template: "Say it?" }
    - { id: out, type: output }
  edges: [{ from: text, to: ask }, { from: text, to: out }, { from: ask, to: out }]
`;

it("runs the workflow of a file, prints its nodes and asks at its gate", async () => {
  const folder = createTemporaryFolder({ "greet.yaml": GREET });
  const words = ["workflow", "run", "greet.yaml", "--input", "name=Ada", "times=2"];
  const { code, stdout, stderr } = await runCli(words, { cwd: folder, input: "approve\n" });
  expect([code, stdout]).toEqual([0, `{"ask":{"decision":"approved"},"text":"Hello Ada! Hello Ada!"}\n`]);
  for (const line of ["▸ text (transform)", '✓ text "Hello Ada! Hello Ada!"', "… ask waits (gate)", "✓ ask"])
    expect(stderr).toContain(line);
  expect(stderr).toContain("Say it? (gate:approval): approve or deny?");
});

it("runs without a key where the document names the provider scripted, takes fitting answers alone, and prints the result once", async () => {
  const yaml = `schema_version: "1.0"
workflow:
  id: reply
  agents: [{ id: writer, provider: scripted, model: assistant }]
  nodes:
    - { id: draft, type: agent, agent_ref: writer, prompt_template: "Hello." }
    - { id: tone, type: human_gate, gate_type: input, message_template: "Which tone?" }
    - { id: sent, type: transform, expression: 'run.outputs.tone.payload + ": " + run.outputs.draft.slice(0, 4)' }
  edges: [{ from: draft, to: tone }, { from: tone, to: sent }]
`;
  const folder = createTemporaryFolder({ "reply.yaml": yaml });
  const input = 'approve\nsupply "kind"\n';
  const { code, stdout, stderr } = await runCli(["workflow", "run", "reply.yaml"], { cwd: folder, input });
  expect([code, stdout]).toEqual([0, "kind: I am\n"]);
  expect(stderr).toContain("Which tone? (gate:input): supply <json> or deny?");
  expect(stderr).toContain("Say supply <json> or deny.");
});

it("runs a workflow of the configuration for programs, which are told what waits", async () => {
  const config = JSON.stringify({ workflows: ["./flows"] });
  const folder = createTemporaryFolder({
    "flows/greet.yaml": GREET,
    "flows/critic.yaml": AGENT,
    "reprise.json": config,
  });
  const words = ["workflow", "run", "greet", "--config", "reprise.json", "--input", "name=Ada", "--json"];
  const { code, stdout } = await runCli(words, { cwd: folder });
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([code, records.at(-1)]).toMatchObject([
    3,
    { outcome: { status: "waiting", open: [{ tool_id: "reprise/program" }] } },
  ]);
  expect(records.flatMap(({ event }) => (event === undefined ? [] : [event.type]))).toContain("node_wait");
});

it("refuses inputs that do not fit, a workflow that is not there, and a configuration that names no file", async () => {
  const folder = createTemporaryFolder({ "greet.yaml": GREET, "reprise.json": '{"workflows":["./none/*.yaml"]}' });
  const run = (...words: string[]) => runCli(["workflow", "run", ...words], { cwd: folder });
  const refused = await run("greet.yaml", "--input", "nam=Ada");
  expect(refused.stderr).toContain("inputs.nam is not known. The nearest is name. inputs.name is required.");
  expect(refused.code).not.toBe(0);
  expect((await run("gret")).stderr).toContain('There is no file and no workflow "gret".');
  expect((await run("greet", "--config", "reprise.json")).stderr).toContain("There is no workflow at ./none/*.yaml.");
});
