import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createModuleFolder } from "./support/module-folder.ts";
import { type Served, startDev } from "./support/start-serve.ts";

/** `word.ts` is what changes. The tool `slow` ends when it is released, or when its run is cut. */
const MODULE = `
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, defineTool, scriptedModel } from "reprise";
import { word } from "./word.ts";

const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => ({ paid: true }) });
const slow = defineTool({
  id: "slow", description: "Takes its time.", class: "read_only",
  async execute(_, { signal }) {
    while (!existsSync("released")) await sleep(20, undefined, { signal });
    return { word };
  },
});
const crash = defineTool({ id: "crash", description: "Ends the process.", class: "read_only", execute: () => process.exit(7) });
export const teller = defineAgent({ id: "teller", model: scriptedModel([word, word]) });
export const payer = defineAgent({ id: "payer", model: scriptedModel([[{ call: "pay" }], \`Paid, says \${word}.\`]), tools: [pay] });
export const worker = defineAgent({ id: "worker", model: scriptedModel([[{ call: "slow" }], \`Done, says \${word}.\`]), tools: [slow] });
export const breaker = defineAgent({ id: "breaker", model: scriptedModel([[{ call: "crash" }], \`Alive, says \${word}.\`]), tools: [crash] });
`;

const PATIENCE = { timeout: 90_000 };
vi.setConfig({ testTimeout: 240_000 });

const word = (text: string): string => `export const word = ${JSON.stringify(text)};\n`;

async function openDev(): Promise<{ readonly served: Served; readonly cwd: string }> {
  const cwd = createModuleFolder({ "agents.ts": MODULE, "word.ts": word("one") });
  const served = await startDev({ cwd }, "agents.ts");
  onTestFinished(async () => void (await served.stop("SIGKILL")));
  return { served, cwd };
}

/** Starts a run. Its events are read until the stream ends or the server cuts it. */
async function start({ url }: Served, agentId: string, runId: string, threadId = runId): Promise<string> {
  const body = JSON.stringify({ agentId, runId, threadId, messages: [{ role: "user", content: "hi" }] });
  const response = await fetch(`${url}/v1/runs`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  expect(response.status).toBe(200);
  return response.text().catch(() => "cut");
}

/** Reads a run to its end as a client that comes back does. */
async function readOn({ url }: Served, runId: string): Promise<string> {
  const read = async (): Promise<string> => (await fetch(`${url}/v1/runs/${runId}/events?follow=true`)).text();
  let text = "";
  await expect.poll(async () => (text = await read().catch(() => "")), PATIENCE).toContain('"type":"natural_end"');
  return text;
}

/** Changes the code and waits until a new version serves. */
async function reload(served: Served, change: () => void): Promise<void> {
  const before = served.starts();
  change();
  await expect.poll(() => served.starts(), PATIENCE).toBeGreaterThan(before);
}

it("reload keeps threads, approvals that wait and a run in flight, on the same port", async () => {
  const { served, cwd } = await openDev();
  const save = (text: string): void => writeFileSync(join(cwd, "word.ts"), word(text));
  expect(await start(served, "teller", "first", "talk")).toContain('"response":"one"');
  expect(await start(served, "payer", "bill")).toContain('"type":"suspended"');
  const inFlight = start(served, "worker", "flight");
  await expect.poll(async () => (await (await fetch(`${served.url}/v1/runs/flight`)).json()).status).toBe("running");

  await reload(served, () => save("two"));
  await inFlight;
  writeFileSync(join(cwd, "released"), "");
  expect(await readOn(served, "flight")).toContain("Done, says two.");
  const { items } = await (await fetch(`${served.url}/v1/decisions?thread_id=bill`)).json();
  const decided = await fetch(`${served.url}/v1/decisions/${items[0].id}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ action: "approve" }),
  });
  expect(decided.status).toBe(202);
  expect(await readOn(served, "bill")).toContain("Paid, says two.");
  expect(await start(served, "teller", "second", "talk")).toContain('"response":"two"');
  const talk = await (await fetch(`${served.url}/v1/threads/talk/messages`)).json();
  expect(talk.messages.map(({ content }: { content: string }) => content)).toEqual(["hi", "one", "hi", "two"]);
});

it("code that cannot be loaded leaves the version before serving, and the next change is taken", async () => {
  const { served, cwd } = await openDev();
  writeFileSync(join(cwd, "word.ts"), "export const word = ;");
  await expect.poll(() => served.warnings(), PATIENCE).toContain("The version before keeps serving.");
  expect(served.warnings()).toContain("word.ts:1 failed while it was imported: SyntaxError");
  expect(await start(served, "teller", "still")).toContain('"response":"one"');
  await reload(served, () => writeFileSync(join(cwd, "word.ts"), word("two")));
  expect(await start(served, "teller", "again")).toContain('"response":"two"');
});

it("a version that crashes is started again by the next change, and takes its run up", async () => {
  const { served, cwd } = await openDev();
  await start(served, "breaker", "broken").catch(() => "cut");
  await expect.poll(() => served.warnings(), PATIENCE).toContain("The server ended with exit code 7.");
  const fixed = MODULE.replace("process.exit(7)", '"fine"');
  await reload(served, () => writeFileSync(join(cwd, "agents.ts"), fixed));
  expect(await readOn(served, "broken")).toContain("Alive, says one.");
});

it.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("%s to reprise dev leaves no process behind", async (signal) => {
  const { served } = await openDev();
  const { pid } = served.started;
  if (typeof pid !== "number") throw new Error("The server told no process id.");
  expect(pid).not.toBe(served.process.pid);
  const code = await served.stop(signal);
  if (signal !== "SIGKILL") expect(code).toBe(0);
  await expect.poll(() => isAlive(pid), PATIENCE).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
