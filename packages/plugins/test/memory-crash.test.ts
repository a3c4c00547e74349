import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createNodeEnv } from "@reprise/node";
import { listNotes } from "@reprise/plugins/memory";
import { createRuntime } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { defineRememberingAgent } from "./support/remembering-agent.ts";

it("keeps one note when a process is killed between storing it and committing the run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-memory-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "app.db");
  const program = fileURLToPath(new URL("./support/remember-and-die.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=reprise-source", program, file], { stdio: "inherit" });
  expect((await once(child, "exit"))[1]).toBe("SIGKILL");

  const store = await openSqliteStore({ file });
  const agents = [defineRememberingAgent()];
  // Under the same name, so that the run is recovered at once and not when its lease has run out.
  const runtime = await createRuntime({ agents, env: createNodeEnv(), store, blobs: store.blobs, instanceId: "one" });
  onTestFinished(() => runtime.close());
  expect(await listNotes(runtime.documents, { resourceId: "ada" })).toHaveLength(1);
  const [run] = (await runtime.runs({ threadId: "t1" })).items;
  const outcome = await (await runtime.run(run?.run_id ?? "")).outcome();
  expect(outcome).toMatchObject({ status: "done", text: "Noted." });
  expect(await listNotes(runtime.documents, { resourceId: "ada" })).toMatchObject([{ id: "n1", text: "Likes tea." }]);
  expect(await runtime.replay(run?.run_id ?? "")).toMatchObject({ equal: true });
});
