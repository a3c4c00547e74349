import type { Script } from "@reprise/models";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { type CrashingProcess, crashAtPoint } from "../support/crashing-env.ts";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { countingTool, notes } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";
import { resultsIn } from "./support/by-history.ts";
import { assertSettled, assertValid } from "./support/settled.ts";

/** Two rounds with a question each, an answer in between, and an end once everything is decided. */
const script: Script = ({ messages }) => {
  const said = messages.filter(({ role }) => role === "assistant").length;
  const isOpen = messages.some(({ content }) => String(content).includes("awaiting_decision"));
  if (said === 0) {
    return [
      { call: "ask", arguments: { title: "ask 1" } },
      { call: "safe", arguments: { title: "safe 1" } },
    ];
  }
  if (said === 1) {
    return [
      { call: "safe", arguments: { title: "safe 2" } },
      { call: "ask", arguments: { title: "ask 2" } },
    ];
  }
  return isOpen ? "Meanwhile." : "The end.";
};

/** Plays it with one process that dies at its nth fault point, before or after the first decision; another ends it. */
async function playThrough(nth: number, dies: "asking" | "deciding"): Promise<string | undefined> {
  const world = createWorld();
  const ask = countingTool({ id: "ask", needsApproval: true });
  const safe = countingTool({ id: "safe", idempotent: true });
  const agent = { partialSuspension: "continue" } as const;
  const open = (process: Partial<CrashingProcess> = {}) =>
    openRuntime({ world, ...process, script, agent, tools: [ask.tool, safe.tool] });

  const healthy = dies === "deciding" ? await open() : undefined;
  const begun = await healthy?.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  if (begun !== undefined) await soon(begun.outcome());
  await healthy?.runtime.close();
  // Nobody is there: the one that dies finds the decision when it comes.
  await healthy?.runtime.decisions.decide(`${begun?.id}-s1-c0`, { action: "approve" });

  const process = crashAtPoint(world, nth);
  const dying = await open(process);
  const run = begun ?? (await dying.runtime.start({ agent: "agent", threadId: "t1", input: "go" }));
  await settle();
  await world.env.advance(13_000);

  const last = await open();
  await settle();
  await world.env.advance(1_000);
  const handle = await last.runtime.run(run.id);
  const asked: string[] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    const outcome = await soon(handle.outcome(), "an outcome");
    await assertConsistent(last.tenant, "t1");
    if (outcome.status !== "waiting") break;
    for (const { id, ticket, arguments: given } of outcome.open) {
      asked.push(`${ticket?.suspension.action} ${(given as { title: string }).title}`);
      const isApproval = ticket?.suspension.action === "approval";
      await last.runtime.decisions.decide(
        id,
        isApproval ? { action: "approve" } : { action: "supply", result: "it happened" },
      );
      await settle();
    }
  }
  expect(await soon(handle.outcome())).toMatchObject({ status: "done", text: "The end." });
  const requests = [healthy, dying, last].flatMap((bench) => bench?.model.requests ?? []);
  assertValid(requests);
  const ids = ["s1-c0", "s1-c1", "s2-c0", "s2-c1"].map((place) => `${run.id}-${place}`);
  const results = resultsIn(requests.at(-1));
  expect(results.map(([id]) => id)).toEqual(ids);
  for (const [, text] of results) expect(text).not.toContain("awaiting_decision");

  const kept = notes.read(await last.runtime.threads.state("t1"));
  expect(new Set(kept).size, `nothing counts twice: ${kept}`).toBe(kept.length);
  for (const title of ["ask 1", "ask 2"]) {
    const isKnown = kept.includes(title) || asked.includes(`unknown_outcome ${title}`);
    expect(isKnown, `${title} counts or was asked about`).toBe(true);
  }
  expect(kept).toEqual(expect.arrayContaining(["safe 1", "safe 2"]));
  expect(new Set(ask.keys).size, "an approved call runs once").toBe(ask.keys.length);
  await assertSettled(last.tenant, "t1");
  return process.diedAt();
}

describe.each(["asking", "deciding"] as const)("a process that dies while the model continues, %s", (dies) => {
  it("leaves a run that comes to the same end, wherever it dies", async () => {
    const places: (string | undefined)[] = [];
    for (let nth = 1; nth <= 40; nth += 1) {
      const place = await playThrough(nth, dies);
      places.push(place);
      if (place === undefined) break;
    }
    expect(places.at(-1), "the sweep came to the end").toBeUndefined();
    expect(places.length).toBeGreaterThan(dies === "asking" ? 6 : 3);
  });
});
