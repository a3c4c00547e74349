import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, defineAgent, memory, scriptedModel } from "reprise";
import { defineWorkflow, nodeWorkflows, type WorkflowDocument, workflow } from "reprise/workflow";
import { expect, it, onTestFinished } from "vitest";

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "reprise-workflow-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const document = (save_to?: string): WorkflowDocument => ({
  schema_version: "1.0",
  workflow: {
    id: "copy",
    inputs: [{ name: "file", type: "file_path", required: true }],
    context: { text: "{{ inputs.file | read_file }}" },
    nodes: [
      { id: "upper", type: "transform", expression: "ctx.text.toUpperCase()" },
      { id: "out", type: "output", ...(save_to !== undefined && { save_to }) },
    ],
    edges: [{ from: "upper", to: "out" }],
  },
});

async function run(folder: string, file: string, save_to?: string) {
  const programs = [nodeWorkflows({ folder })];
  const runtime = await createRuntime({ agents: [defineWorkflow(document(save_to))], programs, store: memory() });
  onTestFinished(() => runtime.close());
  return runtime.runToCompletion({ agent: "copy", input: JSON.stringify({ file }) });
}

it("reads and saves files below the folder of the project", async () => {
  const folder = folderOf({ "a.txt": "words" });
  expect(await run(folder, "a.txt", "out/{{ run.id }}.txt")).toMatchObject({ status: "done", text: "WORDS" });
  const [saved = ""] = readdirSync(join(folder, "out"));
  expect(readFileSync(join(folder, "out", saved), "utf8")).toBe("WORDS");
});

it("follows no link out of the folder", async () => {
  const [folder, other] = [folderOf({}), folderOf({ "secret.txt": "hidden" })];
  symlinkSync(join(other, "secret.txt"), join(folder, "link.txt"));
  mkdirSync(join(folder, "inside"));
  symlinkSync(other, join(folder, "elsewhere"));
  expect(await run(folder, "link.txt")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("leads out of"),
  });
  writeFileSync(join(folder, "a.txt"), "a");
  expect(await run(folder, "a.txt", "elsewhere/x.txt")).toMatchObject({ status: "failed" });
});

it("makes nothing outside of the folder, and writes through no link", async () => {
  const [folder, other] = [folderOf({ "a.txt": "a" }), folderOf({ "victim.txt": "precious" })];
  symlinkSync(other, join(folder, "elsewhere"));
  symlinkSync(join(other, "victim.txt"), join(folder, "report.txt"));
  expect(await run(folder, "a.txt", "elsewhere/made/x.txt")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("leads out of"),
  });
  expect(readdirSync(other)).toEqual(["victim.txt"]);
  expect(await run(folder, "a.txt", "report.txt")).toMatchObject({ status: "done" });
  expect(readFileSync(join(other, "victim.txt"), "utf8")).toBe("precious");
  expect(readFileSync(join(folder, "report.txt"), "utf8")).toBe("A");
  expect(readdirSync(folder).toSorted()).toEqual(["a.txt", "elsewhere", "report.txt"]);
});

it("reads no credentials, not even through a link with another name", async () => {
  const folder = folderOf({ ".env": "KEY=1", "a.txt": "words" });
  symlinkSync(join(folder, ".env"), join(folder, "notes.txt"));
  symlinkSync(join(folder, "a.txt"), join(folder, "fine.txt"));
  expect(await run(folder, "notes.txt")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("may hold credentials"),
  });
  expect(await run(folder, "fine.txt")).toMatchObject({ status: "done", text: "WORDS" });
});

it("says every mistake of a file, with its line, and those of the graph", () => {
  const folder = folderOf({ "bad.yaml": "schema_version: '1.0'\nworkflow:\n  id: Bad Id\n  nodse: []\n" });
  expect(() => workflow(join(folder, "bad.yaml"))).toThrow(expect.objectContaining({ code: "WORKFLOW_INVALID" }));
  expect(() => workflow(join(folder, "bad.yaml"))).toThrow(/bad\.yaml:4:3/);
  const looped = {
    schema_version: "1.0",
    workflow: {
      id: "looped",
      nodes: [
        { id: "a", type: "transform", expression: "1" },
        { id: "b", type: "transform", expression: "2" },
      ],
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "a" },
      ],
    },
  } as const;
  expect(() => defineWorkflow(looped)).toThrow(expect.objectContaining({ code: "WORKFLOW_INVALID_GRAPH" }));
});

it("runs a workflow that a runtime without workflows gets later", async () => {
  const first = defineAgent({ id: "first", model: scriptedModel(["Hello."]) });
  const runtime = await createRuntime({ agents: [first], store: memory() });
  onTestFinished(() => runtime.close());
  const folder = folderOf({
    "late.yaml":
      "schema_version: '1.0'\nworkflow:\n  id: late\n  nodes:\n    - { id: n, type: transform, expression: 6 * 7 }\n",
  });
  const again = runtime.redefine({ agents: [first, workflow(join(folder, "late.yaml"))] });
  expect(await again.runToCompletion({ agent: "late", input: "" })).toMatchObject({ status: "done", text: "42" });
});

it("asks the application before every request of an agent node", async () => {
  const model = scriptedModel(["never"]);
  const flow = defineWorkflow({
    schema_version: "1.0",
    workflow: {
      id: "ask",
      agents: [{ id: "a", provider: "acme", model: "m" }],
      nodes: [{ id: "n", type: "agent", agent_ref: "a", prompt_template: "?" }],
    },
  });
  const preEgress = () => ({ code: "budget_exceeded", message: "No more today.", retryable: false }) as const;
  const runtime = await createRuntime({
    agents: [flow],
    providers: [{ id: "acme", model: () => model }],
    programs: [nodeWorkflows({ preEgress })],
    store: memory(),
  });
  onTestFinished(() => runtime.close());
  expect(await runtime.runToCompletion({ agent: "ask", input: "" })).toMatchObject({ error: "No more today." });
  expect(model.requests).toEqual([]);
});
