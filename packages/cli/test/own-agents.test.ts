import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { AGENTS, createModuleFolder } from "./support/module-folder.ts";
import { linesOf, runCli } from "./support/run-cli.ts";
import { runHere } from "./support/run-here.ts";
import { serveModule } from "./support/start-serve.ts";

const json = (text: string): { readonly [key: string]: unknown } => JSON.parse(text);

describe("a module with agents", () => {
  it("is run, decided about and replayed by commands that name it", async () => {
    const cwd = createModuleFolder({ "agents.ts": AGENTS });
    const here = (...words: readonly string[]) => runHere(...words, "--storage-dir", join(cwd, "threads"), "--json");
    const waits = await runCli(["run", "agents.ts", "payer", "pay it", "--json"], { cwd });
    expect(waits.code).toBe(3);
    const { outcome } = linesOf(waits).at(-1) as { outcome: { run_id: string; open: { id: string }[] } };
    expect((await here("decide", outcome.open[0]?.id ?? "", "approve")).code).toBe(0);
    // The next process that has the agent continues the run.
    const chatted = await runCli(["chat", "agents.ts"], { cwd, input: "hi\n" });
    expect(chatted.stdout).toBe("Hello from the module.\n");
    const shown = json((await here("runs", "show", outcome.run_id)).stdout);
    expect(shown).toMatchObject({ run: { status: "done" }, calls: [{ tool_id: "pay", status: "succeeded" }] });
    const replayed = await runCli(["replay", "agents.ts", outcome.run_id, "--mode", "reexecute", "--json"], { cwd });
    expect(linesOf(replayed)).toMatchObject([{ mode: "reexecute", equal: true }]);
  });

  it("is served with its page", async () => {
    const cwd = createModuleFolder({ "agents.ts": AGENTS });
    const served = await serveModule({ cwd }, "agents.ts");
    onTestFinished(async () => void (await served.stop("SIGKILL")));
    expect(served.started).toMatchObject({ agents: ["greeter", "payer"], module: join(cwd, "agents.ts") });
    const { items } = await (await fetch(`${served.url}/v1/agents`)).json();
    expect(items.map(({ id }: { id: string }) => id)).toEqual(["greeter", "payer"]);
    expect((await fetch(`${served.url}/`)).headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  it("may export options with tools for all agents, plugins and a store of its own", async () => {
    const cwd = createModuleFolder({
      "app.mjs": `
        import { defineAgent, definePlugin, defineTool, scriptedModel, sqlite } from "reprise";
        const time = defineTool({ id: "time", description: "Tells the time.", class: "read_only", execute: () => "noon" });
        const loud = definePlugin({ id: "loud", hooks: { runStart: () => { console.error("loud is here"); return []; } } });
        const clock = defineAgent({ id: "clock", model: scriptedModel([[{ call: "time" }], "It is noon."]), plugins: ["loud"] });
        export default { agents: [clock], tools: [time], plugins: [loud], store: sqlite("own.db") };`,
    });
    const ended = await runCli(["run", "app.mjs", "hi"], { cwd });
    expect(ended).toMatchObject({ code: 0, stdout: "It is noon.\n" });
    expect(ended.stderr).toContain('← time "noon"');
    expect(ended.stderr).toContain("loud is here");
    const { total } = json((await runCli(["threads", "--agents", "app.mjs", "--json"], { cwd })).stdout);
    expect(total, "the threads are in the module's store").toBe(1);
    const refused = await runCli(["run", "app.mjs", "hi", "--storage-dir", "other"], { cwd });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain("--storage-dir has no effect, because app.mjs exports its own store.");
  });

  it("shows the application's state of a thread, and nothing the runtime keeps beside it", async () => {
    const cwd = createModuleFolder({
      "app.ts": `
        import { defineAgent, defineState, defineTool, scriptedModel } from "reprise";
        const todos = defineState({ path: "todos", initial: (): string[] => [], actions: { add: (list, text: string) => [...list, text] } });
        const add = defineTool({ id: "add", description: "Adds.", execute: (_, { state }) => { state.apply(todos.add("milk")); return null; } });
        export const planner = defineAgent({ id: "planner", model: scriptedModel([[{ call: "add" }], "Done."]), tools: [add] });`,
    });
    await runCli(["run", "app.ts", "hi", "--thread", "t"], { cwd });
    const shown = await runHere("threads", "show", "t", "--storage-dir", join(cwd, "threads"));
    expect(shown.stdout).toMatch(/\nstate\n {2}todos: \["milk"\]\n$/);
  });

  it("may export a runtime, which is used as it is and closed at the end", async () => {
    const cwd = createModuleFolder({
      "app.ts": `
        import { createRuntime, defineAgent, scriptedModel } from "reprise";
        const agent = defineAgent({ id: "only", model: scriptedModel(["Hello from the runtime."]) });
        setInterval(() => undefined, 1_000);
        export const runtime = createRuntime({ agents: [agent] });`,
    });
    const ended = await runCli(["run", "app.ts", "hi"], { cwd });
    expect([ended.code, ended.stdout]).toEqual([0, "Hello from the runtime.\n"]);
  });
});

describe("a module that cannot be used", () => {
  const imports = `import { defineAgent, defineTool } from "reprise";`;
  const agent = `defineAgent({ id: "x", model: "openai/gpt-5-mini" })`;
  const expected = expect.stringContaining("Export agents, a default object of options, or a runtime:\n");

  it("is refused with the reason and the remedy", async () => {
    const failures: Readonly<Record<string, readonly [code: string | undefined, failure: object]>> = {
      "aget.ts": [undefined, { message: "There is no file aget.ts.", remedy: "Did you mean agent.ts?" }],
      "throws.ts": [
        'const x: 1 = 1;\nthrow new TypeError("no database");',
        { message: "throws.ts:2:7 failed while it was imported: TypeError: no database" },
      ],
      "broken.ts": [
        "const x = ;",
        { message: "broken.ts:1 failed while it was imported: SyntaxError: Expression expected" },
      ],
      "enum.ts": [
        "export enum Color { red }",
        {
          message: expect.stringContaining("enum.ts:1 has TypeScript that Node cannot run: "),
          remedy: expect.stringContaining("write no enums"),
        },
      ],
      "package.ts": [
        'import "not-there/part";',
        {
          message: 'package.ts imports the package "not-there", which is not installed.',
          remedy: "Install it: npm install not-there",
        },
      ],
      "extension.ts": [
        'import "./agent";',
        {
          message: "extension.ts imports agent, which does not exist.",
          remedy: "Import it with its extension: agent.ts",
        },
      ],
      "empty.ts": ["const x = 1;", { message: "empty.ts exports nothing.", remedy: expected }],
      "other.ts": [
        `${imports} export const limit = 1; export const make = () => 1;
         export const tool = defineTool({ id: "t", description: "T.", execute: () => 1 });`,
        {
          message: "other.ts exports no agent. It exports:",
          problems: [
            { path: "limit", message: "a number" },
            { path: "make", message: "a function" },
            { path: "tool", message: "a tool" },
          ],
          remedy: expected,
        },
      ],
      "twice.ts": [
        `${imports} export const a = ${agent}; export default { agents: [${agent}] };`,
        { message: 'twice.ts exports two agents with the id "x": agents[0] and a.' },
      ],
      "option.ts": [
        `${imports} export default { agents: [${agent}], tolls: [] };`,
        { problems: [{ path: "default.tolls", message: 'is not an option. Did you mean "tools"?' }] },
      ],
      "definition.ts": [
        `${imports}\nexport const a = defineTool({ id: "a b", description: "", execute: () => 1 });`,
        { message: expect.stringContaining("definition.ts:2:18 failed while it was imported: A tool id ") },
      ],
    };
    const files = Object.entries(failures).flatMap(([name, [code]]) => (code === undefined ? [] : [[name, code]]));
    const cwd = createModuleFolder({ "agent.ts": "", ...Object.fromEntries(files) });
    const script = join(import.meta.dirname, "support/load-modules.ts");
    const words = ["--conditions=reprise-source", script, ...Object.keys(failures)];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd });
    const found = stdout.trimEnd().split("\n").map(json);
    for (const [index, [name, [, failure]]] of Object.entries(failures).entries())
      expect(found[index], name).toMatchObject({ exitCode: 2, ...failure });
  });

  it("ends the command before anything is opened", async () => {
    const cwd = createModuleFolder({ "agents.ts": "" });
    const ended = await runCli(["serve", "agents.ts"], { cwd });
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^error: agents\.ts exports nothing\.\nExport agents/);
    expect(existsSync(join(cwd, "threads"))).toBe(false);
  });

  it("is not loaded because .env names it", async () => {
    const cwd = createModuleFolder({ ".env": "REPRISE_AGENTS=planted.mjs\n" });
    writeFileSync(join(cwd, "planted.mjs"), 'process.stdout.write("planted");');
    const ended = await runCli(["run", "default", "hello", "--demo"], { cwd });
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stdout).not.toContain("planted");
  });
});
