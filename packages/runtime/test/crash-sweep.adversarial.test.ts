import type { Script } from "@reprise/models";
import type { Runtime } from "@reprise/runtime";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { type CrashingProcess, crashAtPoint } from "./support/crashing-env.ts";
import { createWorld, openRuntime, type World } from "./support/open-runtime.ts";
import { countingTool, notes } from "./support/tools.ts";
import { settle, soon, typesOf } from "./support/wait.ts";

/** The same conversation in every process: the next turn follows from the messages. */
const script: Script = ({ messages }) => {
  const turns = messages.filter(({ role }) => role === "assistant").length;
  if (turns === 0) {
    return [
      { text: ["Let me ", "see. "] },
      { call: "safe", arguments: { title: "safe 1" } },
      { call: "once", arguments: { title: "once" } },
      { call: "nope" },
    ];
  }
  if (turns === 1) {
    return [
      { call: "ask", arguments: { title: "ask" } },
      { call: "safe", arguments: { title: "safe 2" } },
    ];
  }
  return [{ text: ["The ", "end."] }];
};

function createTools() {
  const safe = countingTool({ id: "safe", idempotent: true });
  const once = countingTool({ id: "once" });
  const ask = countingTool({ id: "ask", needsApproval: true });
  return { safe, once, ask, list: [safe.tool, once.tool, ask.tool] };
}

/** Answers every question until the run is done: yes to approvals, "it happened" to unknown outcomes. */
async function answerAll(runtime: Runtime, runId: string): Promise<readonly string[]> {
  const asked: string[] = [];
  const run = await runtime.run(runId);
  for (;;) {
    const outcome = await soon(run.outcome(), "an outcome");
    if (outcome.status !== "waiting") {
      expect(outcome).toMatchObject({ status: "done", text: "The end." });
      return asked;
    }
    for (const { id, tool_id, ticket } of outcome.open) {
      const action = ticket?.suspension.action ?? "";
      asked.push(`${action} ${tool_id}`);
      const verb =
        action === "approval"
          ? ({ action: "approve" } as const)
          : ({ action: "supply", result: "it happened" } as const);
      await runtime.decisions.decide(id, verb);
    }
    await settle();
  }
}

/** Plays the conversation while processes die one after another; returns where they died. */
async function playThrough(deaths: readonly number[]): Promise<readonly (string | undefined)[]> {
  const world: World = createWorld();
  const tools = createTools();
  const open = (process: Partial<CrashingProcess>) => openRuntime({ world, ...process, script, tools: tools.list });
  const processes: CrashingProcess[] = [];
  let runId: string | undefined;
  for (const nth of deaths) {
    const process = crashAtPoint(world, nth);
    processes.push(process);
    const { runtime } = await open(process);
    runId ??= (await runtime.start({ agent: "agent", threadId: "t1", input: "go" })).id;
    await settle();
    await world.env.advance(13_000);
  }
  const last = await open({});
  await settle();
  await world.env.advance(1_000);
  const asked = await answerAll(last.runtime, runId ?? "");

  await assertConsistent(last.tenant, "t1");
  const kept = notes.read(await last.runtime.threads.state("t1"));
  expect(new Set(kept).size, `nothing counts twice: ${kept}`).toBe(kept.length);
  expect(kept).toEqual(expect.arrayContaining(["safe 1", "safe 2"]));
  expect(new Set(tools.safe.keys).size, "keys of the safe calls").toBe(2);
  for (const [name, { keys }] of [
    ["once", tools.once],
    ["ask", tools.ask],
  ] as const) {
    expect(keys.length, `executions of ${name}`).toBeLessThanOrEqual(1);
    expect(kept.includes(name) || asked.includes(`unknown_outcome ${name}`), `${name} counts or was asked about`).toBe(
      true,
    );
  }
  expect(asked.filter((question) => question === "approval ask")).toHaveLength(1);
  const events = (await last.tenant.readEvents(runId ?? "", 0)).flatMap((segment) => segment.events);
  expect(typesOf(events)[0]).toBe("run_start");
  expect(typesOf(events).at(-1)).toBe("run_finish");
  return processes.map(({ diedAt }) => diedAt());
}

describe("a conversation whose process dies", () => {
  it("comes to the same end wherever it dies, and no effect happens twice", async () => {
    const places: (string | undefined)[] = [];
    for (let nth = 1; nth <= 40; nth += 1) {
      const [place] = await playThrough([nth]);
      places.push(place);
      if (place === undefined) break;
    }
    expect(places.at(-1), "the sweep came to the end").toBeUndefined();
    expect(places.length).toBeGreaterThan(8);
  });

  it("comes to the same end when the one who takes over dies too", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 2, maxLength: 3 }), async (deaths) => {
        await playThrough(deaths);
      }),
      { numRuns: 40 },
    );
  });
});
