import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { expect, it } from "vitest";
import { createTemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openMcp, serveFixture } from "./open-mcp.ts";
import { serveModernTasks } from "./task-server.ts";

const PROGRAM = fileURLToPath(new URL("./call-and-wait.ts", import.meta.url));

/** Has a process call a tool and wait, kills it, and opens its store here. */
async function killWhileWaiting(url: string, tool: string) {
  const file = join(createTemporaryFolder(), "app.db");
  const child = spawn(process.execPath, ["--conditions=reprise-source", PROGRAM, file, url, tool], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout, "data");
  child.kill("SIGKILL");
  expect((await once(child, "exit"))[1]).toBe("SIGKILL");
  const store = await openSqliteStore({ file });
  const options = { servers: { other: { url, protocol: "modern" as const } } };
  const { runtime } = await openMcp({ script: ["done"], options, world: { store, blobs: store.blobs } });
  return { runtime, run: await runtime.run(String(said)) };
}

it("a task is followed to its end by a second process after kill -9 of the first", async () => {
  const server = await serveModernTasks();
  const { runtime, run } = await killWhileWaiting(server.url, "research");
  await server.finish("It is blue.");
  expect(await run.outcome()).toMatchObject({ status: "done", text: "done" });
  const { messages } = await runtime.threads.messages("t1");
  expect(JSON.stringify(messages)).toContain("It is blue.");
  expect(server.created()).toBe(1);
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
}, 60_000);

it("a question of a server is answered in a second process after kill -9 of the first", async () => {
  const { runtime, run } = await killWhileWaiting(await serveFixture({}, "reject"), "ask");
  const [question] = await runtime.decisions.list({ threadId: "t1" });
  await runtime.decisions.decide(question?.id ?? "", { action: "supply", result: { name: "Ada" } });
  await expect.poll(async () => (await run.record())?.status, { timeout: 30_000 }).toBe("done");
  const { messages } = await runtime.threads.messages("t1");
  expect(JSON.stringify(messages)).toContain("Hello, Ada");
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
}, 60_000);
