import { queryObjects } from "node:v8";
import { describe, expect, it } from "vitest";
import { LivePort } from "../src/effects/live-port.ts";
import { RunJournal } from "../src/loop/run-journal.ts";
import { RunWorkspace } from "../src/loop/run-workspace.ts";
import { LoadedThread } from "../src/thread/loaded-thread.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { soon } from "./support/wait.ts";

const ROUNDS = 4;
const PARALLEL = 600;
const CACHED = 50;

/** How many of them are alive: V8 collects the others first. */
function alive(kind: object): number {
  return queryObjects(kind as () => void, { format: "count" });
}

describe("issue 14.45: many parallel runs leave nothing behind", () => {
  it("but the threads that are cached, and a bounded part of what the scripted model was asked", async () => {
    const { runtime, model } = await openRuntime({ script: () => "done", limits: { cachedThreads: CACHED } });
    for (let round = 0; round < ROUNDS; round += 1) {
      const runs = Array.from({ length: PARALLEL }, (_, index) =>
        runtime.runToCompletion({ agent: "agent", threadId: `t${round}-${index}`, input: "go" }),
      );
      await soon(Promise.all(runs), "the runs");
    }
    expect(model.requests.length).toBeLessThanOrEqual(2_000);
    expect(alive(LoadedThread)).toBeLessThanOrEqual(CACHED);
    for (const kind of [RunWorkspace, RunJournal, LivePort]) expect(alive(kind)).toBe(0);
  }, 120_000);
});
