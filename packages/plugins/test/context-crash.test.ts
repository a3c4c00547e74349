import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { defineCompactedAgent, QUESTION } from "./support/compacted-agent.ts";

it.each([
  ["while a run continues beside its summary", "at once"],
  ["after the run whose summary it knew", "later"],
])("makes a summary again when its process is killed %s, and every run verifies", async (_, moment) => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-context-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "app.db");
  const program = fileURLToPath(new URL("./support/compact-and-die.ts", import.meta.url));
  const args = ["--conditions=reprise-source", program, file, moment];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  expect((await once(child, "exit"))[1]).toBe("SIGKILL");

  const store = await openSqliteStore({ file });
  const agents = [defineCompactedAgent()];
  // Under the same name, so that a run is recovered at once and not when its lease has run out.
  const runtime = await createRuntime({ agents, env: createNodeEnv(), store, blobs: store.blobs, instanceId: "one" });
  onTestFinished(() => runtime.close());
  for (const { run_id } of (await runtime.runs({ threadId: "t1" })).items) await (await runtime.run(run_id)).outcome();
  for (let turn = 0; turn < 3; turn += 1) {
    const outcome = await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: QUESTION });
    expect(outcome.status).toBe("done");
  }
  const { items } = await runtime.runs({ threadId: "t1" });
  const types: string[] = [];
  for (const { run_id } of items.toSorted((one, other) => one.created_at - other.created_at)) {
    for await (const { type } of (await runtime.run(run_id)).events()) types.push(type);
    expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
  }
  expect(types).toContain("compaction_completed");
  // A summary that was never committed to is begun again without a word; one that a run counts on is said to be lost.
  expect(types.includes("compaction_failed")).toBe(moment === "later");
  expect(await runtime.threads.state("t1")).toMatchObject({ __context: { boundary: { summary: "so far, so good" } } });
  const { messages } = await runtime.threads.messages("t1");
  expect(messages).toHaveLength(2 * items.length);
});
