import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createRuntime, sqlite } from "reprise";
import { createNodeEnv, replayExport } from "reprise/advanced";
import { expect, it, onTestFinished } from "vitest";
import { createClerk } from "./replay-support/clerk.ts";
import { deadModel } from "./replay-support/record.ts";

const RECORDER = fileURLToPath(new URL("./replay-support/record-in-process.ts", import.meta.url));
const RUNS = 2;

it("a run that one process recorded in a SQLite file, by the real clock, verifies in another", {
  timeout: 60_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "reprise-replay-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (let round = 0; round < RUNS; round += 1) {
    const file = join(folder, `${round}.db`);
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=reprise-source", RECORDER, file]);
    const runId = stdout.trim();
    const touched = (): never => {
      throw new Error("a replay touched an author's code");
    };
    const runtime = await createRuntime({ agents: [createClerk(deadModel, touched)], store: sqlite(file) });
    try {
      const result = await runtime.replay(runId);
      expect(result).toEqual(expect.objectContaining({ equal: true }));
      const text = JSON.stringify(await runtime.exportRun(runId));
      expect(await replayExport(text, { env: createNodeEnv() })).toEqual(result);
      const today = await createRuntime({ agents: [createClerk(deadModel, () => undefined)], store: sqlite(file) });
      expect(await today.replay(runId, { mode: "reexecute" })).toEqual(expect.objectContaining({ equal: true }));
      await today.close();
    } finally {
      await runtime.close();
    }
  }
});
