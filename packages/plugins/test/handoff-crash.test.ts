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
import { defineHandedOverAgents } from "./support/handed-over-agents.ts";

it.each([
  ["before", "clerk", ["clerk", "expert"]],
  // The first agent is not needed any more: a process without it continues.
  ["after", "expert", ["expert"]],
])("another process continues a run whose process was killed %s its handoff", async (_, moment, having) => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-handoff-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "app.db");
  const program = fileURLToPath(new URL("./support/hand-over-and-die.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=reprise-source", program, file, moment], { stdio: "inherit" });
  expect((await once(child, "exit"))[1]).toBe("SIGKILL");

  const store = await openSqliteStore({ file });
  const asked: string[] = [];
  const agents = defineHandedOverAgents((agent) => asked.push(agent)).filter(({ spec }) => having.includes(spec.id));
  // Under the same name, so that the run is recovered at once and not when its lease has run out.
  const runtime = await createRuntime({ agents, env: createNodeEnv(), store, blobs: store.blobs, instanceId: "one" });
  onTestFinished(() => runtime.close());
  const [found] = (await runtime.runs({ threadId: "t1" })).items;
  const run = await runtime.run(found?.run_id ?? "");
  expect(await run.outcome()).toMatchObject({ status: "done", text: "an answer" });
  expect(asked).toEqual(having);
  expect(await run.record()).toMatchObject({ agent_id: "clerk", agent_path: ["clerk", "expert"] });
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
});
