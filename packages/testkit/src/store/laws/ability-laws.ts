import type { Abilities, Claim, Presence } from "@reprise/contracts";
import { expect } from "vitest";
import { buildDecision } from "../../build/build-records.ts";
import { eventually } from "../../eventually.ts";
import type { Law } from "../law-suite.ts";
import type { RunDriver } from "../run-driver.ts";
import { LEASE_MS, type StoreBench } from "../store-bench.ts";

/** Work goes to processes that can do it. */
export function abilityLaws(law: Law): void {
  law("lists the workers that are alive with what they can run, and no others", async (bench) => {
    expect(await bench.operator.listWorkers()).toEqual([]);
    const first = await enter(bench, "first", ability("agent-1", "v1", { pay: "1" }));
    const second = await enter(bench, "second", {});
    const abilities = ability("agent-1", "v1", { pay: "1" });
    expect(await workers(bench)).toEqual([
      ["first", abilities],
      ["second", {}],
    ]);
    await second.leave();
    expect(await workers(bench)).toEqual([["first", abilities]]);
    await bench.advance(LEASE_MS);
    expect(await workers(bench)).toEqual([]);
    await first.announce(abilities);
    expect(await workers(bench)).toEqual([["first", abilities]]);
    await first.leave();
  });

  law(
    "issue 14.1: leaves work of agents that the claimer does not have, and serves what is behind it",
    async (bench) => {
      await enqueueFor(bench, "foreign", "agent-2");
      await enqueueFor(bench, "own", "agent-1");
      expect(await claim(bench, "one", ability("agent-1"))).toEqual(["own"]);
      expect(await claim(bench, "one", ability("agent-1"))).toEqual([]);
      expect(await claim(bench, "other", { ...ability("agent-2"), ...ability("agent-3") })).toEqual(["foreign"]);
    },
  );

  law("serves first what has waited longest, whatever its agent", async (bench) => {
    const both = { ...ability("agent-1"), ...ability("agent-2") };
    for (const [older, newer] of [
      ["agent-1", "agent-2"],
      ["agent-2", "agent-1"],
    ] as const) {
      await enqueueFor(bench, `${older}-first`, older);
      await bench.advance(5);
      await enqueueFor(bench, `${newer}-second`, newer);
      expect(await claim(bench, "one", both, 1)).toEqual([`${older}-first`]);
      expect(await claim(bench, "one", both, 1)).toEqual([`${newer}-second`]);
    }
  });

  law("serves the entries of a thread in their order, whatever their agents", async (bench) => {
    await enqueueFor(bench, "thread-1", "agent-2");
    await enqueueFor(bench, "thread-1", "agent-1");
    expect(await claim(bench, "one", ability("agent-1"))).toEqual([]);
    const [first] = await bench.operator.claim({ ...CLAIM, owner: "other", abilities: ability("agent-2") });
    await (await bench.take(need(first))).become("done");
    expect(await claim(bench, "other", ability("agent-2"))).toEqual([]);
    expect(await claim(bench, "one", ability("agent-1"))).toEqual(["thread-1"]);
  });

  law("serves the next entry when an entry that no worker could do is cancelled", async (bench) => {
    const { run_id } = await enqueueFor(bench, "thread-1", "agent-2");
    await enqueueFor(bench, "thread-1", "agent-1");
    expect(await claim(bench, "one", ability("agent-1"))).toEqual([]);
    await bench.tenant.requestCancel(run_id, "never mind");
    expect(await claim(bench, "one", ability("agent-1"))).toEqual(["thread-1"]);
  });

  law("names the agents whose work is due and that no live worker has", async (bench) => {
    expect(await bench.operator.listMissingAgents()).toEqual([]);
    await enqueueFor(bench, "thread-1", "agent-2");
    await enqueueFor(bench, "thread-2", "agent-2");
    await enqueueFor(bench, "thread-3", "agent-1");
    const own = await enter(bench, "own", ability("agent-1"));
    expect(await bench.operator.listMissingAgents()).toEqual(["agent-2"]);
    const other = await enter(bench, "other", ability("agent-2"));
    expect(await bench.operator.listMissingAgents()).toEqual([]);
    await other.leave();
    expect(await bench.operator.listMissingAgents()).toEqual(["agent-2"]);
    await own.leave();
    expect(await bench.operator.listMissingAgents()).toEqual(["agent-1", "agent-2"]);
  });

  law("counts the threads whose work is due and that no process holds", async (bench) => {
    expect(await bench.operator.countDueThreads()).toBe(0);
    await enqueueFor(bench, "thread-1", "agent-1");
    await enqueueFor(bench, "thread-1", "agent-1");
    await enqueueFor(bench, "thread-2", "agent-2");
    // Two entries of one thread are worked on one after the other.
    expect(await bench.operator.countDueThreads()).toBe(2);
    const [held] = await bench.operator.claim({ ...CLAIM, owner: "one", abilities: ability("agent-1") });
    expect(await bench.operator.countDueThreads()).toBe(1);
    await (await bench.take(need(held))).become("done");
    expect(await bench.operator.countDueThreads()).toBe(2);
  });

  law("counts a thread whose claim has run out", async (bench) => {
    const { operator } = bench;
    await enqueueFor(bench, "thread-1", "agent-1");
    await operator.claim({ ...CLAIM, owner: "one", abilities: ability("agent-1") });
    expect(await operator.countDueThreads()).toBe(0);
    await bench.advance(CLAIM.lease_ms + 1);
    expect(await operator.countDueThreads()).toBe(1);
  });

  law("says of an entry whose agent it needs", async (bench) => {
    await enqueueFor(bench, "thread-1", "agent-2");
    const owner = await bench.start("thread-2");
    await owner.suspend("c1");
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    const { items } = await bench.tenant.listEntries({ status: "queued" });
    expect(items.map(({ kind, agent_id }) => [kind, agent_id]).toSorted()).toEqual([
      ["resume", "agent-1"],
      ["run", "agent-2"],
    ]);
  });

  law("issue 14.29: leaves a run to a live worker with the definition the run works with", async (bench) => {
    const run = await waiting(bench, "thread-1", { definition: "v1" });
    const old = await enter(bench, "old", ability("agent-1", "v1"));
    await enter(bench, "new", ability("agent-1", "v2"));
    await decide(bench, run);
    expect(await claim(bench, "new", ability("agent-1", "v2"))).toEqual([]);
    expect(await claim(bench, "old", ability("agent-1", "v1"))).toEqual(["thread-1"]);
    await old.leave();
  });

  law("issue 14.29: gives a run to a worker with other definitions once no live one has its own", async (bench) => {
    const left = await waiting(bench, "thread-1", { definition: "v1" });
    const silent = await waiting(bench, "thread-2", { definition: "v0" });
    const old = await enter(bench, "old", ability("agent-1", "v1"));
    await decide(bench, left);
    await decide(bench, silent);
    expect(await claim(bench, "new", ability("agent-1", "v2"))).toEqual(["thread-2"]);
    await old.leave();
    expect(await claim(bench, "new", ability("agent-1", "v2"))).toEqual(["thread-1"]);
  });

  law("takes a worker that fell silent for gone", async (bench) => {
    const run = await waiting(bench, "thread-1", { definition: "v1" });
    await enter(bench, "old", ability("agent-1", "v1"));
    await decide(bench, run);
    expect(await claim(bench, "new", ability("agent-1", "v2"))).toEqual([]);
    await bench.advance(LEASE_MS);
    expect(await claim(bench, "new", ability("agent-1", "v2"))).toEqual(["thread-1"]);
  });

  law("issue 14.29: prefers the tool versions of open calls while no worker has the definition", async (bench) => {
    const run = await waiting(bench, "thread-1", { definition: "v1" });
    const same = await enter(bench, "same tool", ability("agent-1", "v2", { "tool-1": "1" }));
    await enter(bench, "other tool", ability("agent-1", "v3", { "tool-1": "2" }));
    await decide(bench, run);
    expect(await claim(bench, "other tool", ability("agent-1", "v3", { "tool-1": "2" }))).toEqual([]);
    await same.leave();
    expect(await claim(bench, "other tool", ability("agent-1", "v3", { "tool-1": "2" }))).toEqual(["thread-1"]);
  });

  law("lets only workers with its definition recover a lost run", async (bench) => {
    const run = await bench.start();
    await run.become("running", { runs: [{ ...run.run, definition: "v1" }] });
    const old = await enter(bench, "old", ability("agent-1", "v1"));
    await bench.advance(LEASE_MS);
    await old.announce(ability("agent-1", "v1"));
    expect(await claim(bench, "none", ability("agent-2"))).toEqual([]);
    expect(await claim(bench, "new", ability("agent-1", "v2"))).toEqual([]);
    expect(await claim(bench, "old", ability("agent-1", "v1"))).toEqual(["thread-1"]);
  });

  law("gives lost runs to workers that have the agent they were handed to, and to no others", async (bench) => {
    for (const thread of ["thread-1", "thread-2"]) {
      const run = await bench.start(thread);
      // As an owner does: a commit that changes nothing about the work, then the handoff.
      await run.commit();
      await run.become("running", { runs: [{ ...run.run, agent_path: ["agent-1", "agent-2"] }] });
    }
    await bench.advance(LEASE_MS);
    const taken = await claim(bench, "own", ability("agent-2"), 1);
    expect(taken).toHaveLength(1);
    expect(await claim(bench, "first agent", ability("agent-1"))).toEqual([]);
    expect([...taken, ...(await claim(bench, "own", ability("agent-2")))].toSorted()).toEqual(["thread-1", "thread-2"]);
  });

  law("wakes a run that waits in a worker that has the agent it was handed to", async (bench) => {
    const run = await bench.start();
    run.run = { ...run.run, agent_path: ["agent-1", "agent-2"] };
    await run.suspend("call-thread-1");
    await decide(bench, run);
    const { items } = await bench.tenant.listEntries({ status: "queued" });
    expect(items.map(({ kind, agent_id }) => [kind, agent_id])).toEqual([["resume", "agent-2"]]);
    expect(await claim(bench, "first agent", ability("agent-1"))).toEqual([]);
    expect(await claim(bench, "own", ability("agent-2"))).toEqual(["thread-1"]);
  });

  law("lets any worker end a run that is to be cancelled while no worker has its agent", async (bench) => {
    const run = await waiting(bench, "thread-1", {});
    const own = await enter(bench, "own", ability("agent-1"));
    await bench.tenant.requestCancel(run.runId, "enough");
    expect(await claim(bench, "other", ability("agent-2"))).toEqual([]);
    await own.leave();
    expect(await claim(bench, "other", ability("agent-2"))).toEqual(["thread-1"]);
  });

  law("tells watchers of work that turned out to be for others", async (bench) => {
    let heard = 0;
    const stop = bench.operator.watch(({ kind }) => {
      if (kind === "work") heard += 1;
    });
    await enqueueFor(bench, "thread-1", "agent-2");
    await enqueueFor(bench, "thread-1", "agent-1");
    await eventually(() => expect(heard).toBeGreaterThanOrEqual(2));
    const before = heard;
    await claim(bench, "one", ability("agent-1"));
    await eventually(() => expect(heard).toBeGreaterThan(before));
    stop();
  });
}

const CLAIM = { lease_ms: LEASE_MS, limit: 10 };

function ability(agent: string, definition?: string, tools: Readonly<Record<string, string>> = {}): Abilities {
  return { [agent]: { tools, ...(definition !== undefined && { definition }) } };
}

async function enter(bench: StoreBench, owner: string, abilities: Abilities): Promise<Presence> {
  const presence = await bench.operator.enter({ owner, is_lasting: false, lease_ms: LEASE_MS });
  await presence.announce(abilities);
  return presence;
}

async function workers(bench: StoreBench): Promise<readonly (readonly [string, Abilities])[]> {
  const found = await bench.operator.listWorkers();
  return found
    .map(({ owner, abilities }) => [owner, abilities] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}

async function claim(
  bench: StoreBench,
  owner: string,
  abilities: Abilities,
  limit = CLAIM.limit,
): Promise<readonly string[]> {
  const claims = await bench.operator.claim({ ...CLAIM, limit, owner, abilities });
  return claims.map(({ thread_id }) => thread_id);
}

function enqueueFor(bench: StoreBench, thread_id: string, agent_id: string) {
  return bench.enqueue({ thread_id, request: { agent_id, messages: [] } });
}

function need(claimed: Claim | undefined): Claim {
  if (claimed === undefined) throw new Error("Nothing was claimed.");
  return claimed;
}

/** A run that works with a definition and waits for a decision about a call of `tool-1` in version 1. */
async function waiting(bench: StoreBench, threadId: string, parts: { definition?: string }): Promise<RunDriver> {
  const owner = await bench.start(threadId);
  owner.run = { ...owner.run, ...parts };
  await owner.suspend(`call-${threadId}`);
  return owner;
}

async function decide(bench: StoreBench, { runId, threadId }: RunDriver): Promise<void> {
  await bench.tenant.decide(
    buildDecision({ run_id: runId, call_id: `call-${threadId}`, decision_id: `decision-${threadId}` }),
  );
}
