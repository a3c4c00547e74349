import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createNodeEnv } from "@reprise/node";
import { createRuntime, type Runtime } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { eventually } from "@reprise/testkit";
import { expect, onTestFinished } from "vitest";
import { defineTeam, type TeamOptions } from "./delegating-team.ts";

interface Survived extends TeamOptions {
  /** Whether a second process approves what is asked then, and dies at the same moment. */
  readonly dyingTwice?: boolean;
}

/** Has a process of its own begin the work and die at the moment, and opens its store here. */
export async function surviveDeath(
  work: string,
  moment: string,
  { dyingTwice = false, ...team }: Survived = {},
): Promise<Runtime> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-delegation-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "app.db");
  const program = fileURLToPath(new URL("./delegate-and-die.ts", import.meta.url));
  for (const done of dyingTwice ? [work, "approve"] : [work]) {
    const args = ["--conditions=reprise-source", program, file, done, moment];
    const child = spawn(process.execPath, args, { stdio: "inherit" });
    expect((await once(child, "exit"))[1]).toBe("SIGKILL");
  }
  const store = await openSqliteStore({ file });
  // Under the same name, so that runs are recovered at once and not when their leases have run out.
  const options = { env: createNodeEnv(), store, blobs: store.blobs, instanceId: "one" };
  const runtime: Runtime = await createRuntime({ agents: defineTeam(team), ...options });
  onTestFinished(() => runtime.close());
  return runtime;
}

/** Waits until every run is over, checks each of them by replay, and returns how they ended. */
export async function settle(runtime: Runtime): Promise<readonly string[]> {
  const list = async () => (await runtime.runs({ limit: 20 })).items;
  await eventually(async () => {
    const { items } = await runtime.mailbox.list({ threadId: "t1" });
    const waiting = items.filter(({ status }) => status === "queued" || status === "claimed");
    expect([...(await list()).filter(({ status }) => status !== "done"), ...waiting]).toEqual([]);
  });
  for (const { run_id } of await list()) expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
  const ended = (await list()).map(
    ({ agent_id, origin, termination_code }) => `${agent_id} ${origin} ${termination_code}`,
  );
  return ended.toSorted();
}

/** What the lead said on its thread. */
export async function answers(runtime: Runtime): Promise<readonly string[]> {
  const { messages } = await runtime.threads.messages("t1", { visibility: "any" });
  return messages.flatMap(({ role, content }) => (role === "assistant" && content !== "" ? String(content) : []));
}
