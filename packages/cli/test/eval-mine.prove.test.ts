import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mining } from "@reprise/evals";
import { expect, it } from "vitest";
import { createModuleFolder } from "./support/module-folder.ts";
import { type Ended, linesOf, runCli } from "./support/run-cli.ts";

const agents = (model: string): string => `
import { appendFileSync } from "node:fs";
import { defineAgent, defineTool, scriptedModel } from "reprise";

const pay = defineTool({
  id: "pay",
  description: "Pays a bill.",
  execute: () => { appendFileSync("paid.log", "paid"); return { paid: true }; },
});
const ask = defineTool({ id: "ask", description: "Asks.", needsApproval: true, execute: () => "yes" });
export const payer = defineAgent({ id: "payer", model: ${model}, tools: [pay] });
export const asker = defineAgent({ id: "asker", model: scriptedModel([[{ call: "ask" }], "Done."]), tools: [ask] });
`;

it("says which stored runs a policy would change, within a time and of an agent, as text and as JSON", async () => {
  const cwd = createModuleFolder({ "agents.ts": agents('scriptedModel([[{ call: "pay" }], "It is paid."])') });
  const cli = (...words: readonly string[]): Promise<Ended> => runCli(words, { cwd });
  const start = async (agent: string): Promise<string> => {
    const ran = await cli("run", "agents.ts", agent, "Go.", "--json");
    const { outcome } = linesOf(ran).at(-1) as { outcome: { run_id: string } };
    return outcome.run_id;
  };
  const [paid, waiting] = [await start("payer"), await start("asker")];

  const policy = { permission: { default: "allow", rules: [{ tool: "pay", behavior: "deny" }] } };
  writeFileSync(join(cwd, "new.json"), JSON.stringify(policy));
  // The agents of today may name a model that there is no key for: nobody asks it.
  writeFileSync(join(cwd, "agents.ts"), agents('"openai/gpt-5-mini"'));
  const mine = (...words: readonly string[]): Promise<Ended> => cli("eval", "mine", "agents.ts", ...words);
  const told = await mine("--policy", "new.json");
  expect([told.code, told.stderr]).toEqual([0, ""]);
  expect(told.stdout).toContain(`${paid} (payer)\n  pay {} would be denied\n`);
  expect(told.stdout).toContain(`${waiting} was not played: Run ${waiting} is waiting, not done.\n`);
  expect(told.stdout).toContain("1 of 2 runs would differ: 0 calls asked about, 1 denied, 0 runs that end otherwise;");
  expect(told.stdout).toContain("0 model calls and 0 tool calls were made");

  const readMining = async (...words: readonly string[]): Promise<Mining> => {
    const { code, stdout, stderr } = await mine("--policy", "new.json", "--json", ...words);
    expect([code, stderr]).toEqual([0, ""]);
    return JSON.parse(stdout);
  };
  expect(await readMining("--since", "1h")).toMatchObject({
    runs: 2,
    differing: [{ run_id: paid, differences: [{ kind: "denied", tool: "pay", arguments: {} }] }],
    drifted: [],
    skipped: [{ run_id: waiting, code: "RUN_NOT_DONE" }],
    counts: { model_calls: 0, tool_calls: 0 },
  });
  expect(await readMining("--since", "0m")).toMatchObject({ runs: 0, skipped: [] });
  expect(await readMining("--agent", "asker")).toMatchObject({ runs: 1, differing: [] });

  expect(await mine()).toMatchObject({ code: 2, stderr: expect.stringContaining("--policy <file> is missing.") });
  const since = await mine("--policy", "new.json", "--since", "yesterday");
  expect(since).toMatchObject({ code: 2, stderr: expect.stringContaining("--since takes a time such as 90m") });
  writeFileSync(join(cwd, "new.json"), JSON.stringify({ permision: {} }));
  expect(await mine("--policy", "new.json")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("new.json is not valid: permision"),
  });
}, 240_000);
