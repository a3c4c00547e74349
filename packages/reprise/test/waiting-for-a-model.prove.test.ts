import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startModelServer } from "@reprise/testkit/model-server";
import { describe, expect, it, onTestFinished, vi } from "vitest";

// It waits for what a provider asks for, and for processes that start on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const CHILD = fileURLToPath(new URL("./children/wait-for-model.ts", import.meta.url));

/** A process that works on a store, and what it says first. */
function spawnChild(baseUrl: string, ...parameters: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, ["--conditions=reprise-source", CHILD, ...parameters], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "none" },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const { stdout } = child;
  if (stdout === null) throw new Error("The child has no output.");
  const said = once(createInterface({ input: stdout }), "line").then(
    ([line]) => JSON.parse(String(line)) as Record<string, unknown>,
  );
  return { child, said };
}

describe("issue 14.3: a provider that says when to come back", () => {
  it("gets a process killed meanwhile, and the run is completed by the next one", async () => {
    const folder = await mkdtemp(join(tmpdir(), "reprise-waiting-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const server = await startModelServer([
      { status: 429, headers: { "retry-after": "12" }, body: { error: { code: "rate_limit_exceeded" } } },
      [{ text: "There you are." }],
    ]);
    onTestFinished(() => server.close());
    const file = join(folder, "app.db");

    const first = spawnChild(`${server.url}/v1`, file);
    const waiting = await first.said;
    expect(waiting).toMatchObject({ status: "waiting", leases: 0 });
    first.child.kill("SIGKILL");
    await once(first.child, "exit");
    expect(server.requests).toHaveLength(1);

    const second = spawnChild(`${server.url}/v1`, file, String(waiting.run_id));
    expect(await second.said).toEqual({ status: "done", text: "There you are.", equal: true });
    expect(server.requests).toHaveLength(2);
  });
});
