import { type RunRequest, textOf } from "@reprise/contracts";
import type { Script } from "@reprise/models";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { dieAtCommit } from "./support/die-at-commit.ts";
import { type Bench, createWorld, openRuntime } from "./support/open-runtime.ts";
import { suspend } from "./support/suspend.ts";
import { countingTool, notes } from "./support/tools.ts";
import { gate, settle, soon, until } from "./support/wait.ts";

const request = (more: Partial<RunRequest>): RunRequest => ({
  agent_id: "agent",
  thread_id: "t1",
  messages: [],
  ...more,
});
const says = (id: string, content: string): RunRequest["messages"] => [{ id, role: "user", content }];

/** Adds a note for each turn of the user, and then says how many there are. */
const script: Script = ({ messages }) => {
  const last = messages.at(-1);
  if (last?.role === "tool") return `noted: ${textOf(last)}`;
  return [{ call: "add", arguments: { title: last === undefined ? "" : textOf(last) } }];
};

async function finish({ runtime }: Bench, asked: RunRequest) {
  const run = await runtime.submit(asked);
  return { run, outcome: await soon(run.outcome(), "the end") };
}

async function openStory(): Promise<Bench> {
  const bench = await openRuntime({ script, tools: [countingTool().tool] });
  for (const number of [1, 2, 3]) {
    await finish(bench, request({ run_id: `r${number}`, messages: says(`u${number}`, `note ${number}`) }));
  }
  return bench;
}

const shownOn = async ({ runtime }: Bench): Promise<readonly string[]> =>
  (await runtime.threads.messages("t1")).messages.map(({ id }) => id);

describe("a run that goes back", () => {
  it("answers anew what was said to an earlier run, and withdraws all that came after", async () => {
    const bench = await openStory();
    const asked = request({ run_id: "r4", restore: { run_id: "r2", keep_input: true } });
    const { outcome } = await finish(bench, asked);
    expect(outcome).toMatchObject({ status: "done", text: 'noted: {"count":2}' });
    expect(notes.read(await bench.runtime.threads.state("t1"))).toEqual(["note 1", "note 2"]);
    expect(await shownOn(bench)).toEqual([
      "u1",
      "r1-s1-m",
      "r1-s1-c0-r",
      "r1-s2-m",
      "u2",
      "r4-s1-m",
      "r4-s1-c0-r",
      "r4-s2-m",
    ]);
    const whole = await bench.runtime.threads.messages("t1", { includeSuperseded: true });
    expect(whole.messages.map(({ id }) => id)).toContain("r2-s2-m");
    await assertConsistent(bench.tenant, "t1");
    expect(await soon(bench.runtime.replay("r4"))).toMatchObject({ equal: true });
  });

  it("takes what is said in the place of what was, also under the same id", async () => {
    const bench = await openStory();
    const asked = request({ run_id: "r4", messages: says("u2", "other"), restore: { run_id: "r2" } });
    await finish(bench, asked);
    expect(notes.read(await bench.runtime.threads.state("t1"))).toEqual(["note 1", "other"]);
    const shown = await shownOn(bench);
    expect(shown.slice(3)).toEqual(["r1-s2-m", "r4-u0", "r4-s1-m", "r4-s1-c0-r", "r4-s2-m"]);
    expect(bench.model.requests.at(-1)?.messages.map(textOf)).not.toContain("note 2");
    await assertConsistent(bench.tenant, "t1");
    expect(await soon(bench.runtime.replay("r4"))).toMatchObject({ equal: true });
  });

  it("can be gone back before itself, as often as one likes", async () => {
    const bench = await openStory();
    for (const [index, from] of ["r3", "r4", "r5", "r3"].entries()) {
      const run_id = `r${index + 4}`;
      await finish(bench, request({ run_id, restore: { run_id: from, keep_input: true } }));
      expect(notes.read(await bench.runtime.threads.state("t1"))).toEqual(["note 1", "note 2", "note 3"]);
      expect((await shownOn(bench)).slice(8)).toEqual(["u3", `${run_id}-s1-m`, `${run_id}-s1-c0-r`, `${run_id}-s2-m`]);
      expect(await soon(bench.runtime.replay(run_id))).toMatchObject({ equal: true });
    }
    await assertConsistent(bench.tenant, "t1");
  });

  it("leaves no result without its call when the earlier run broke off in the middle", async () => {
    const bench = await openRuntime({
      script: [[{ text: "I" }, { fail: "auth" }], "better"],
      tools: [countingTool().tool],
    });
    await finish(bench, request({ run_id: "r1", messages: says("u1", "hello") }));
    const { outcome } = await finish(bench, request({ run_id: "r2", restore: { run_id: "r1", keep_input: true } }));
    expect(outcome).toMatchObject({ status: "done", text: "better" });
    expect(await shownOn(bench)).toEqual(["u1", "r2-s1-m"]);
    await assertConsistent(bench.tenant, "t1");
  });

  it("ends a run that waits, and what it asked for is never done", async () => {
    const bench = await suspend();
    const run = await bench.runtime.submit(request({ restore: { run_id: bench.run.id, keep_input: true } }));
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(await bench.run.record()).toMatchObject({ termination_code: "cancelled" });
    expect(bench.keys).toEqual([]);
    await assertConsistent(bench.tenant, "t1");
    expect(await soon(bench.runtime.replay(run.id))).toMatchObject({ equal: true });
  });

  it("ends a run at work and drops what is queued behind it", async () => {
    const release = gate();
    const hang = countingTool({ execute: () => release.promise });
    const bench = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "again"],
      tools: [hang.tool],
    });
    const first = await bench.runtime.submit(request({ run_id: "r1", messages: says("u1", "go") }));
    await until(() => hang.keys.length === 1, "the tool");
    const queued = await bench.runtime.submit(request({ run_id: "r2", messages: says("u2", "more") }));
    const third = await bench.runtime.submit(request({ run_id: "r3", restore: { run_id: "r1", keep_input: true } }));
    expect(await soon(third.outcome())).toMatchObject({ status: "done", text: "again" });
    expect(await soon(first.outcome())).toMatchObject({ status: "cancelled" });
    expect(await soon(queued.outcome())).toMatchObject({ status: "cancelled" });
    expect(await shownOn(bench)).toEqual(["u1", "r3-s1-m"]);
    await assertConsistent(bench.tenant, "t1");
  });

  it("withdraws what a run was told while it was at work, and answers what it began with", async () => {
    const release = gate();
    const hang = countingTool({ execute: () => release.promise });
    const bench = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "steered", "again"],
      tools: [hang.tool],
    });
    const first = await bench.runtime.submit(request({ run_id: "r1", messages: says("u1", "go") }));
    await until(() => hang.keys.length === 1, "the tool");
    await bench.runtime.submit(request({ run_id: "r2", messages: says("u2", "but"), busy_policy: "steer" }));
    release.open();
    expect(await soon(first.outcome())).toMatchObject({ status: "done", text: "steered" });
    expect(await shownOn(bench)).toContain("u2");
    const { outcome } = await finish(bench, request({ run_id: "r3", restore: { run_id: "r1", keep_input: true } }));
    expect(outcome).toMatchObject({ status: "done", text: "again" });
    expect(await shownOn(bench)).toEqual(["u1", "r3-s1-m"]);
    await assertConsistent(bench.tenant, "t1");
    expect(await soon(bench.runtime.replay("r3"))).toMatchObject({ equal: true });
  });

  it.each(["before", "after"] as const)(
    "comes to the same end when its process dies %s any of its commits",
    async (side) => {
      const again = request({ run_id: "r3", restore: { run_id: "r1", keep_input: true } });
      let deaths = 0;
      for (let nth = 1; nth <= 20; nth += 1) {
        const world = createWorld();
        const tools = [countingTool({ idempotent: true }).tool];
        const first = await openRuntime({ world, script, tools });
        for (const number of [1, 2]) {
          await finish(first, request({ run_id: `r${number}`, messages: says(`u${number}`, `note ${number}`) }));
        }
        await soon(first.runtime.close());
        const mortal = dieAtCommit(world, nth, side);
        const dying = await openRuntime({ world, ...mortal, script, tools });
        await dying.runtime.submit(again);
        await settle(60);
        await world.env.advance(13_000);
        const last = await openRuntime({ world, script, tools });
        await settle();
        await world.env.advance(1_000);
        await soon((await last.runtime.run("r3")).outcome(), `the end after commit ${nth}`);
        expect(notes.read(await last.runtime.threads.state("t1"))).toEqual(["note 1"]);
        expect(await shownOn(last)).toEqual(["u1", "r3-s1-m", "r3-s1-c0-r", "r3-s2-m"]);
        await assertConsistent(last.tenant, "t1");
        expect(await soon(last.runtime.replay("r3"))).toMatchObject({ equal: true });
        if (!mortal.isDead()) break;
        deaths += 1;
      }
      // The start, the turn with its intent, the result, the end: the first of them lies between the claim and the run.
      expect(deaths).toBeGreaterThanOrEqual(3);
      expect(deaths).toBeLessThan(20);
    },
  );
});

describe("what cannot be gone back to is refused before anything is stored", () => {
  it.each([
    ["a run nobody knows", { restore: { run_id: "none", keep_input: true } }, "RUN_NOT_FOUND"],
    ["no messages where what was said goes too", { restore: { run_id: "r1" } }, "INVALID_REQUEST"],
    ["no run", { restore: {} as never, messages: says("u9", "x") }, "INVALID_REQUEST"],
    ["no object", { restore: "r1" as never, messages: says("u9", "x") }, "INVALID_REQUEST"],
    ["no flag", { restore: { run_id: "r1", keep_input: "yes" as never } }, "INVALID_REQUEST"],
    [
      "a run that would go on",
      { restore: { run_id: "r1", keep_input: true }, busy_policy: "continue" },
      "INVALID_REQUEST",
    ],
    [
      "a run that would be steered",
      { restore: { run_id: "r1", keep_input: true }, busy_policy: "steer" },
      "INVALID_REQUEST",
    ],
  ] as const)("%s", async (_, more, code) => {
    const bench = await openStory();
    const before = await bench.runtime.threads.get("t1");
    await expect(bench.runtime.threads.get("t1")).resolves.toEqual(before);
    await expect(
      Promise.resolve().then(() => bench.runtime.submit(request({ run_id: "r9", ...more }))),
    ).rejects.toMatchObject({ code });
    expect((await bench.runtime.mailbox.list({ runId: "r9" })).total).toBe(0);
  });

  it("a run of another thread", async () => {
    const bench = await openStory();
    await finish(bench, request({ thread_id: "t2", messages: says("u1", "x") }));
    const asked = request({ thread_id: "t2", restore: { run_id: "r1", keep_input: true } });
    await expect(bench.runtime.submit(asked)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  });

  it("a run whose past was pruned", async () => {
    const bench = await openStory();
    await bench.env.advance(10_000);
    const { version } = await bench.runtime.threads.get("t1");
    await bench.tenant.saveSnapshot("t1", { version, state: await bench.runtime.threads.state("t1") });
    await bench.store.operator.prune({ historyVersions: 1 });
    const asked = request({ restore: { run_id: "r1", keep_input: true } });
    await expect(soon(bench.runtime.submit(asked))).rejects.toMatchObject({ code: "VERSION_GONE" });
    await finish(bench, request({ run_id: "r4", messages: says("u4", "note 4") }));
    await assertNothingLost(bench);
  });
});

async function assertNothingLost(bench: Bench): Promise<void> {
  expect(notes.read(await bench.runtime.threads.state("t1"))).toEqual(["note 1", "note 2", "note 3", "note 4"]);
}
