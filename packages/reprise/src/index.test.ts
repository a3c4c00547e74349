import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as contracts from "@reprise/contracts";
import * as models from "@reprise/models";
import * as node from "@reprise/node";
import * as runtime from "@reprise/runtime";
import * as state from "@reprise/state";
import { expect, it, onTestFinished, vi } from "vitest";
import * as umbrella from "./index.ts";

it.each(Object.entries({ contracts, models, node, runtime, state }))("passes on every export of %s", (_, names) => {
  const missing = Object.keys(names).filter((name) => !(name in umbrella));
  expect(missing).toEqual([]);
});

it("runs an agent with nothing but an agent, and keeps what was said in a SQLite file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-default-"));
  vi.stubEnv("AGENTOS_STORAGE_DIR", join(folder, "kept"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const agent = umbrella.defineAgent({ id: "a", model: umbrella.scriptedModel(["Hello.", "Again."]) });
  const first = await umbrella.createRuntime({ agents: [agent] });
  const outcome = await first.runToCompletion({ agent: "a", threadId: "t1", input: "Hi" });
  expect(outcome).toMatchObject({ status: "done", text: "Hello." });
  await first.close();
  expect(readdirSync(join(folder, "kept"))).toContain("reprise.db");
  const second = await umbrella.createRuntime({ agents: [agent] });
  expect((await second.threads.get("t1")).version).toBeGreaterThan(0);
  await second.close();
});

it("leaves a store that was given open", async () => {
  const store = umbrella.memoryStore();
  const runtime = await umbrella.createRuntime({ agents: [], store });
  await runtime.close();
  expect(await store.forTenant("default").listThreads()).toMatchObject({ total: 0 });
});
