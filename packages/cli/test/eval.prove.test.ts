import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createModuleFolder } from "./support/module-folder.ts";
import { type Ended, linesOf, runCli } from "./support/run-cli.ts";
import { runHere } from "./support/run-here.ts";

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

  writeFileSync(join(cwd, "agents.ts"), agents('[blockCall("Not on Sundays.")]'));
  const reports = ["--junit", "junit.xml", "--markdown", "summary.md", "--baseline", "evals/baseline.json"];
  const changed = await cli("eval", "agents.ts", "evals", ...reports);
  expect(changed.code, changed.stdout).toBe(1);
  expect(changed.stdout).toContain("  failed: tools: call 1 must be send(");
  expect(file("junit.xml")).toContain('tests="1" failures="1"');
  expect(file("summary.md")).toContain("| letter | ❌ failed | 0 % | 2 | 1 |");
}, 120_000);

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
