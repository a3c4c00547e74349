import type { DecisionVerb } from "@reprise/contracts";
import type { Script } from "@reprise/models";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { type Bench, createWorld, openRuntime, type World } from "../support/open-runtime.ts";
import { countingTool, notes } from "../support/tools.ts";
import { settle, until } from "../support/wait.ts";
import { byHistory, resultsIn } from "./support/by-history.ts";
import { assertSettled, assertValid } from "./support/settled.ts";

/** One call of the round and what becomes of it. */
interface AskedCall {
  readonly tool: "add" | "other";
  readonly verb: DecisionVerb;
}

interface History {
  readonly calls: readonly AskedCall[];
  /** Which call is decided when. */
  readonly order: readonly number[];
  /** Who decides, by turn. */
  readonly deciders: readonly number[];
  /** Whether the world comes to rest after a turn, by turn. */
  readonly rests: readonly boolean[];
  /** Whether the process that decided goes away after a turn, by turn. */
  readonly leaves: readonly boolean[];
}

const verb = fc.constantFrom<DecisionVerb>(
  { action: "approve" },
  { action: "approve" },
  { action: "deny" },
  { action: "edit", arguments: { title: "edited" } },
  { action: "supply", result: "supplied" },
);

const history: fc.Arbitrary<History> = fc
  .array(fc.record({ tool: fc.constantFrom("add" as const, "add" as const, "other" as const), verb }), {
    minLength: 2,
    maxLength: 5,
  })
  .chain((calls) => {
    const turns = { minLength: calls.length, maxLength: calls.length };
    return fc.record({
      calls: fc.constant(calls),
      order: fc.shuffledSubarray(
        calls.map((_, index) => index),
        turns,
      ),
      deciders: fc.array(fc.nat({ max: 2 }), turns),
      rests: fc.array(fc.boolean(), turns),
      leaves: fc.array(fc.boolean(), turns),
    });
  });

const titleOf = (index: number): string => `n${index}`;

function scriptOf(calls: readonly AskedCall[]): Script {
  return byHistory([calls.map(({ tool }, index) => ({ call: tool, arguments: { title: titleOf(index) } })), "after"]);
}

/** What the tool says of itself, so that a result that lands on another call is seen. */
function expectedText({ verb: decided, tool }: AskedCall, index: number): string {
  if (decided.action === "supply") return "supplied";
  return `${tool} ${decided.action === "edit" ? "edited" : titleOf(index)}`;
}

async function openOne(world: World, script: Script): Promise<Bench> {
  const tools = ["add", "other"].map((id) => {
    const { tool } = countingTool({
      id,
      needsApproval: true,
      execute({ title }, { state }) {
        state.apply(notes.add(title));
        return `${id} ${title}`;
      },
    });
    return tool;
  });
  return openRuntime({ world, script, tools });
}

async function play({ calls, order, deciders, rests, leaves }: History): Promise<void> {
  const world = createWorld();
  const script = scriptOf(calls);
  const open = () => openOne(world, script);
  const benches = [await open(), await open(), await open()];
  const all = [...benches];
  const [first] = benches;
  if (first === undefined) return;
  const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const ids = calls.map((_, index) => `${run.id}-s1-c${index}`);
  await until(async () => (await first.runtime.decisions.list()).length === calls.length, "the questions");

  const decided = new Set<number>();
  for (const [turn, index] of order.entries()) {
    const place = deciders[turn] ?? 0;
    const { runtime, tenant } = benches[place] ?? first;
    await runtime.decisions.decide(ids[index] ?? "", calls[index]?.verb ?? { action: "deny" });
    decided.add(index);
    if (rests[turn] === true) {
      await settle();
      const still = (await runtime.decisions.list()).map(({ id }) => id);
      expect(still, "what is undecided is open, and nothing else").toEqual(ids.filter((_, at) => !decided.has(at)));
      await assertConsistent(tenant, "t1");
    }
    if (leaves[turn] === true) {
      void runtime.close();
      await settle();
      await world.env.advance(2_000);
      const next = await open();
      benches[place] = next;
      all.push(next);
    }
  }
  const last = await open();
  all.push(last);
  await until(async () => (await (await last.runtime.run(run.id)).record()).status === "done", "the end");

  const requests = all.flatMap(({ model }) => model.requests);
  expect(requests, "the model is called after the last decision").toHaveLength(2);
  assertValid(requests);
  const results = resultsIn(requests.at(-1));
  expect(results.map(([id]) => id)).toEqual(ids);
  for (const [index, call] of calls.entries()) {
    const text = results[index]?.[1] ?? "";
    if (call.verb.action === "deny") expect(JSON.parse(text)).toMatchObject({ error: { code: "denied" } });
    else expect(text).toBe(expectedText(call, index));
  }
  const noted = calls.flatMap(({ verb: { action } }, index) =>
    action === "edit" ? "edited" : action === "approve" ? titleOf(index) : [],
  );
  expect(notes.read(await last.runtime.threads.state("t1")).toSorted()).toEqual(noted.toSorted());
  await assertSettled(last.tenant, "t1");
}

function permutations(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return permutations(count - 1).flatMap((rest) =>
    Array.from({ length: count }, (_, place) => rest.toSpliced(place, 0, count - 1)),
  );
}

describe("several suspended calls of one round, two of the same tool", () => {
  const calls: readonly AskedCall[] = [
    { tool: "add", verb: { action: "approve" } },
    { tool: "add", verb: { action: "deny" } },
    { tool: "other", verb: { action: "edit", arguments: { title: "edited" } } },
    { tool: "add", verb: { action: "supply", result: "supplied" } },
  ];

  it.each(permutations(4).map((order) => [order]))("decided in the order %j get each its own result", async (order) => {
    const turns = order.map(() => true);
    await play({ calls, order, deciders: [0, 1, 2, 0], rests: turns, leaves: turns.map(() => false) });
  });

  it("get each its own result, whatever the order of the decisions and whichever process dies", async () => {
    await fc.assert(fc.asyncProperty(history, play), { numRuns: 100 });
  });

  it("are decided by one request, out of order, each by its own id", async () => {
    const world = createWorld();
    const script = scriptOf(calls);
    const { runtime, model, tenant } = await openOne(world, script);
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(async () => (await runtime.decisions.list()).length === 4, "the questions");
    await runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      messages: [],
      initial_decisions: [3, 1, 0, 2].map((index) => ({
        target_id: `${run.id}-s1-c${index}`,
        action: index === 1 ? ("cancel" as const) : ("resume" as const),
      })),
    });
    await until(async () => (await run.record()).status === "done", "the end");
    expect(resultsIn(model.requests[1]).map(([, text]) => text)).toEqual([
      "add n0",
      expect.stringContaining("denied"),
      "other n2",
      "add n3",
    ]);
    await assertSettled(tenant, "t1");
  });

  it("stay as they are when one decision of a request is refused", async () => {
    const { runtime, tenant } = await openOne(createWorld(), scriptOf(calls));
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(async () => (await runtime.decisions.list()).length === 4, "the questions");
    const decide = (ids: readonly string[]) =>
      runtime.submit({
        agent_id: "agent",
        thread_id: "t1",
        messages: [],
        initial_decisions: ids.map((target_id) => ({ target_id, action: "resume" as const })),
      });
    await expect(decide([`${run.id}-s1-c0`, "nobody"])).rejects.toMatchObject({ code: "NOT_SUSPENDED" });
    await settle();
    expect(await runtime.decisions.list()).toHaveLength(4);
    expect((await tenant.readInbox("t1", run.id)).decisions).toEqual([]);
  });
});
