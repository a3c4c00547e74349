import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { linesOf, runCli } from "./support/run-cli.ts";
import { type Served, startServe } from "./support/start-serve.ts";

async function serveIn(cwd: string): Promise<Served> {
  const served = await startServe({ cwd });
  onTestFinished(async () => void (await served.stop("SIGKILL")));
  return served;
}

async function startRun({ url }: Served): Promise<Response> {
  const body = JSON.stringify({ agentId: "default", messages: [{ role: "user", content: "hello" }] });
  return fetch(`${url}/v1/runs`, { method: "POST", headers: { "content-type": "application/json" }, body });
}

async function threadsIn(folder: string): Promise<number> {
  const [page] = linesOf(await runCli(["threads", "--json", "--storage-dir", folder], { cwd: folder }));
  return (page as { readonly total: number }).total;
}

describe("issue 14.23: copies of a server's store", () => {
  it("backs up under a live server, and is one file after a clean stop", async () => {
    const cwd = createTemporaryFolder();
    const served = await serveIn(cwd);
    const started = await startRun(served);
    expect(started.ok).toBe(true);
    await started.text();
    const backup = join(createTemporaryFolder(), "reprise.db");
    expect(await runCli(["backup", backup], { cwd })).toMatchObject({ code: 0 });
    expect(await threadsIn(join(backup, ".."))).toBe(1);
    const again = await runCli(["backup", backup], { cwd });
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("there is a file already")]);
    expect(await served.stop("SIGTERM")).toBe(0);
    const copied = createTemporaryFolder();
    copyFileSync(join(cwd, "threads/reprise.db"), join(copied, "reprise.db"));
    expect(await threadsIn(copied)).toBe(1);
  });

  it("says how to copy a store that is none of SQLite's", async () => {
    const cwd = createTemporaryFolder({ "app.json": JSON.stringify({ agents: [], store: { kind: "memory" } }) });
    const refused = await runCli(["backup", "copy.db", "--config", "app.json"], { cwd });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("Only a SQLite store")]);
    expect(existsSync(join(cwd, "copy.db"))).toBe(false);
  });
});

describe("issue 14.24: a server whose database is deleted", () => {
  it("is not ready any more, and refuses runs with the reason", async () => {
    const cwd = createTemporaryFolder();
    const served = await serveIn(cwd);
    expect((await fetch(`${served.url}/ready`)).status).toBe(200);
    rmSync(join(cwd, "threads"), { recursive: true });
    const refused = await startRun(served);
    expect([refused.status, await refused.json()]).toEqual([
      503,
      { error: expect.stringContaining("were deleted or replaced while it was open") },
    ]);
    await expect.poll(async () => (await fetch(`${served.url}/ready`)).status).toBe(503);
    expect(await (await fetch(`${served.url}/ready`)).text()).toContain("were deleted or replaced");
    expect(served.warnings()).toContain(join("threads", "reprise.db"));
  });
});
