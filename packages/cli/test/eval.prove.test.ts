import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Experiment } from "@reprise/evals";
import { startModelServer } from "@reprise/testkit/model-server";
import { expect, it, onTestFinished } from "vitest";
import { createModuleFolder } from "./support/module-folder.ts";
import { type Ended, linesOf, runCli } from "./support/run-cli.ts";
import { runHere } from "./support/run-here.ts";
import { serveModule } from "./support/start-serve.ts";

const agents = (prompt: string): string => `
import { blockCall, defineAgent, definePlugin, defineTool, scriptedModel } from "reprise";

const send = defineTool({ id: "send", description: "Sends a letter.", inputSchema: { type: "object", properties: { to: { type: "string" } } }, execute: () => { console.error("SENT"); return "sent"; } });
const model = scriptedModel([[{ call: "send", arguments: { to: "ada@example.com" } }], "It is sent."]);
const rule = definePlugin({ id: "rule", hooks: { beforeToolExecute: () => ${prompt} } });
export const clerk = defineAgent({ id: "clerk", model, tools: [send], plugins: [rule] });
`;

it("saves a run as a case, plays it to the agents of today, and says in files and exit codes what came of it", async () => {
  const cwd = createModuleFolder({ "agents.ts": agents("[]") });
  const cli = (...words: readonly string[]): Promise<Ended> => runCli(words, { cwd });
  // Without a module no process of its own is needed.
  const here = (...words: readonly string[]): Promise<Ended> =>
    runHere(...words, "--storage-dir", join(cwd, "threads"));
  const file = (name: string): string => readFileSync(join(cwd, name), "utf8");
  const ran = linesOf(await cli("run", "agents.ts", "Write to ada@example.com.", "--json"));
  const { outcome } = ran.at(-1) as { outcome: { run_id: string } };

  const evals = join(cwd, "evals");
  const letter = join(evals, "letter.case.json");
  const saved = await here("eval", "save", outcome.run_id, letter);
  expect([saved.code, saved.stdout]).toEqual([
    0,
    expect.stringMatching(/letter\.case\.json: 2 steps, 1 tool calls\.\nTaken out: 1 email\./),
  ]);
  expect(file("evals/letter.case.json")).not.toContain("ada@");
  const again = await here("eval", "save", outcome.run_id, letter);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining("--force") });
  expect((await here("eval", evals, "--mode", "verify")).code).toBe(0);

  const based = await cli("eval", "agents.ts", "--baseline", "evals/baseline.json", "--update-baseline", "--keep");
  expect([based.code, based.stderr], based.stdout).toEqual([0, ""]);
  expect(based.stdout).toContain("mode rescript: 0 model calls and 0 tool calls were made");

  const served = await serveModule({ cwd }, "agents.ts");
  try {
    const kept = await (await fetch(`${served.url}/v1/experiments`)).json();
    expect(kept).toMatchObject({ items: [{ verdict: "passed", case_count: 1 }], has_more: false });
    const made = await fetch(`${served.url}/v1/runs/${outcome.run_id}/case`, { method: "POST" });
    const { recording } = JSON.parse(file("evals/letter.case.json"));
    expect(await made.json()).toMatchObject({ redaction: { replaced: { email: 1 } }, recording });
  } finally {
    await served.stop();
  }

  writeFileSync(join(cwd, "agents.ts"), agents('[blockCall("Not on Sundays.")]'));
  const reports = ["--junit", "junit.xml", "--markdown", "summary.md", "--baseline", "evals/baseline.json"];
  const changed = await cli("eval", "agents.ts", "evals", ...reports);
  expect(changed.code, changed.stdout).toBe(1);
  expect(changed.stdout).toContain("  failed: tools: call 1 must be send(");
  expect(file("junit.xml")).toContain('tests="1" failures="1"');
  expect(file("summary.md")).toContain("| letter | ❌ failed | 0 % | 2 | 1 |");
}, 120_000);

const refunds = (model: string): string => `
import { defineAgent, defineTool, scriptedModel } from "reprise";

const find = defineTool({ id: "find", description: "Finds an order.", class: "read_only", inputSchema: { type: "object", properties: { id: { type: "string" } } }, execute: ({ id }) => { console.error("FOUND " + id); return { id }; } });
const script = (id) => scriptedModel([[{ call: "find", arguments: { id } }], "It is found."]);
export const clerk = defineAgent({ id: "clerk", model: ${model}, tools: [find] });
export const other = defineAgent({ id: "other", model: script("b2"), tools: [find] });
`;

it("asks judges when it is told to, keeps what they say in the case, and needs neither models nor keys after that", async () => {
  const server = await startModelServer(() => [{ text: '{ "reason": "It says so.", "score": 0.9 }' }]);
  onTestFinished(() => server.close());
  const cwd = createModuleFolder({ "agents.ts": refunds('script("a1")') });
  const keyed = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "key-of-the-test" };
  const cli = (words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    runCli(words, { cwd, env });
  const ran = linesOf(await cli(["run", "agents.ts", "clerk", "Find a1.", "--json"]));
  const { outcome } = ran.at(-1) as { outcome: { run_id: string } };
  const file = join(cwd, "evals/found.case.json");
  expect(await cli(["eval", "save", outcome.run_id, "evals/found.case.json"])).toMatchObject({ code: 0 });
  const saved = JSON.parse(readFileSync(file, "utf8"));
  const judges = [{ id: "clear", model: "openai/judge", rubric: "It is clear.", threshold: 0.8 }];
  writeFileSync(file, JSON.stringify({ ...saved, expect: { ...saved.expect, judges } }));
  // From here on the agent of today has a model that there is no key for.
  writeFileSync(join(cwd, "agents.ts"), refunds('"anthropic/claude-sonnet-4-5"'));

  const unjudged = await cli(["eval", "agents.ts"]);
  expect([unjudged.code, unjudged.stdout, unjudged.stderr]).toEqual([
    0,
    expect.stringContaining("warned: judge clear: The case cannot say what the judge would."),
    "",
  ]);
  expect((await cli(["eval", "agents.ts", "--fail-on", "warned"])).code).toBe(1);
  const judged = await cli(["eval", "--mode", "verify", "--judge"], keyed);
  expect([judged.code, judged.stdout], judged.stderr).toEqual([
    0,
    expect.stringContaining("found: judge clear: 0.9 of at least 0.8 (openai/judge, live)"),
  ]);
  expect(server.requests.length).toBe(1);
  expect(JSON.parse(readFileSync(file, "utf8")).judgements).toMatchObject([{ judge: "clear", score: 0.9 }]);
  for (const words of [["agents.ts"], ["--mode", "verify"]]) {
    const again = await cli(["eval", ...words, "--fail-on", "warned"]);
    expect([again.code, again.stdout], again.stderr).toEqual([
      0,
      expect.stringContaining("found: judge clear: 0.9 of at least 0.8 (openai/judge, recorded)"),
    ]);
  }
  expect(server.requests.length).toBe(1);
}, 240_000);

it("plays as often, to the agent and with the calls that the flags say, and names and prints the result", async () => {
  const cwd = createModuleFolder({ "agents.ts": refunds('script("a1")') });
  const cli = (...words: readonly string[]): Promise<Ended> => runCli(words, { cwd });
  const ran = linesOf(await cli("run", "agents.ts", "clerk", "Find a1.", "--json"));
  const { outcome } = ran.at(-1) as { outcome: { run_id: string } };
  expect(await cli("eval", "save", outcome.run_id, "--id", "found")).toMatchObject({ code: 0 });
  const read = async (...words: readonly string[]): Promise<{ ended: Ended; experiment: Experiment }> => {
    const ended = await cli("eval", "agents.ts", "--json", ...words);
    return { ended, experiment: JSON.parse(ended.stdout) };
  };
  const twice = await read("--trials", "2", "--name", "nightly");
  expect([twice.ended.code, twice.experiment]).toMatchObject([
    0,
    { name: "nightly", trials: 2, verdict: "passed", cases: [{ id: "found", trials: [{}, {}] }] },
  ]);
  const refused = await read("--mode", "rerun", "--agent", "other");
  expect(refused.experiment).toMatchObject({ agent: "other", verdict: "failed", counts: { tool_calls: 0 } });
  expect(refused.ended.stderr).not.toContain("FOUND");
  const allowed = await read("--mode", "rerun", "--agent", "other", "--allow-reads", "look, find");
  expect(allowed.experiment.counts).toMatchObject({ model_calls: 2, tool_calls: 1 });
  expect(allowed.ended.stderr).toContain("FOUND b2");
  const elsewhere = await read("--mode", "rerun", "--agent", "other", "--allow-reads", "look");
  expect(elsewhere.experiment.counts).toMatchObject({ tool_calls: 0 });
  for (const wrong of [
    ["--trials", "none"],
    ["--fail-on", "never"],
    ["--baseline", "gone.json"],
  ])
    expect(await cli("eval", "agents.ts", ...wrong), wrong.join(" ")).toMatchObject({ code: 2 });
}, 240_000);

it("refuses a command line that is wrong before anything is played", async () => {
  const nothing = await runHere("eval", "nothing-here", "--mode", "verify");
  expect(nothing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no file or folder nothing-here."),
  });
  expect(await runHere("eval", "--allow-writes")).toMatchObject({ code: 2 });
  expect(await runHere("eval", "--update-baseline")).toMatchObject({ code: 2 });
  expect(await runHere("eval", "--mode", "guess")).toMatchObject({ code: 2 });
});
