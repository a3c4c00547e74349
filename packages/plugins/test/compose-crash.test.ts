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
import { defineComposedAgents } from "./support/composed-agents.ts";

it.each([
  ["second", ["second", "writer"]],
  ["writer", ["writer"]],
])(
  "another process continues a configured composition whose process was killed in the step of %s",
  async (when, left) => {
    const folder = mkdtempSync(join(tmpdir(), "reprise-compose-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "app.db");
    const program = fileURLToPath(new URL("./support/compose-and-die.ts", import.meta.url));
    const child = spawn(process.execPath, ["--conditions=reprise-source", program, file, when], { stdio: "inherit" });
    expect((await once(child, "exit"))[1]).toBe("SIGKILL");

    const store = await openSqliteStore({ file });
    const asked: string[] = [];
    const options = { env: createNodeEnv(), store, blobs: store.blobs, instanceId: "one" };
    // Under the same name, so that runs are recovered at once and not when their leases have run out.
    const runtime = await createRuntime({ ...defineComposedAgents((agent) => asked.push(agent)), ...options });
    onTestFinished(() => runtime.close());
    const [found] = (await runtime.runs({ threadId: "t1" })).items;
    const run = await runtime.run(found?.run_id ?? "");
    expect(await run.outcome()).toMatchObject({ status: "done", text: "by writer" });
    expect(asked).toEqual(left);
    const { items } = await runtime.runs({ limit: 20 });
    expect(items.map(({ agent_id }) => agent_id).toSorted()).toEqual(["first", "look", "report", "second", "writer"]);
    for (const { run_id } of items) expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
  },
);
