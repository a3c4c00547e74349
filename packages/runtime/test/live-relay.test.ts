import type { AgentEvent, LanguageModel, LiveEvent, LiveKey, LiveRelay } from "@reprise/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { freezeProcess } from "./support/frozen-env.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { gate, settle, soon, typesOf, until } from "./support/wait.ts";

/** A relay between runtimes of one process. `carry` says how often an event arrives: 0 is a loss. */
function createRelays(carry: () => number = () => 1) {
  const tails = new Set<(key: LiveKey) => readonly LiveEvent[]>();
  const followers = new Map<string, Set<(live: LiveEvent) => void>>();
  const keyOf = ({ tenant, run_id }: LiveKey): string => `${tenant} ${run_id}`;
  const sent: LiveEvent[] = [];
  const relay: LiveRelay = {
    serve(tail) {
      tails.add(tail);
      return () => tails.delete(tail);
    },
    show(tenant, live) {
      sent.push(live);
      const listeners = [...(followers.get(keyOf({ tenant, run_id: live.event.run_id })) ?? [])];
      for (const listener of listeners)
        for (let times = carry(); times > 0; times -= 1) setImmediate(() => listener(live));
    },
    follow(key, listener) {
      const listeners = followers.get(keyOf(key)) ?? new Set();
      followers.set(keyOf(key), listeners.add(listener));
      for (const tail of tails) for (const live of tail(key)) setImmediate(() => listener(live));
      return () => listeners.delete(listener);
    },
  };
  const countFollowed = (): number => [...followers.values()].reduce((sum, { size }) => sum + size, 0);
  return { relay, sent, countFollowed };
}

/** A model that says a piece when it is told to, and stops after the last. */
function createGatedModel(pieces: readonly string[]) {
  const gates = pieces.map(() => gate());
  const model: LanguageModel = {
    id: "gated",
    async *stream() {
      for (const [index, delta] of pieces.entries()) {
        await gates[index]?.promise;
        yield { type: "text_delta", delta };
      }
      await end.promise;
      yield { type: "finish", stop_reason: "end_turn" };
    },
  };
  const end = gate();
  return { model, say: (index: number) => gates[index]?.open(), end: () => end.open() };
}

/** Two processes on one store: one runs, the other follows. */
async function openTwo(model: LanguageModel, relay: LiveRelay | undefined, { isFrozen = false } = {}) {
  const world = createWorld();
  const live = relay === undefined ? {} : { live: relay };
  const worker = await openRuntime({ world, model, ...live, ...(isFrozen && freezeProcess(world)) });
  const other = await openRuntime({ world, limits: { maxActiveRuns: 0 }, ...live });
  const run = await worker.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const events: AgentEvent[] = [];
  const ended = (async () => {
    for await (const event of (await other.runtime.run(run.id)).events()) events.push(event);
  })();
  const heard = (): string =>
    events.flatMap((event) => (event.type === "text_delta" ? [event.data.delta] : [])).join("");
  return { world, worker, other, run, events, ended, heard };
}

it("shows a reader in another process the text while it is written", async () => {
  const { model, say, end } = createGatedModel(["a", "b", "c"]);
  const { relay, countFollowed } = createRelays();
  const { run, ended, heard, events } = await openTwo(model, relay);
  for (const [index, text] of ["a", "ab", "abc"].entries()) {
    say(index);
    await until(() => heard() === text, text);
  }
  end();
  await soon(ended);
  const stored = await soon(Array.fromAsync(run.events()));
  expect(events).toEqual(stored);
  expect(countFollowed()).toBe(0);
});

it("shows a reader that comes in the middle what was written until then", async () => {
  const { model, say, end } = createGatedModel(["a", "b"]);
  const { relay } = createRelays();
  const { run, other, ended } = await openTwo(model, relay);
  say(0);
  await settle();
  const late: AgentEvent[] = [];
  const lateEnded = (async () => {
    for await (const event of (await other.runtime.run(run.id)).events()) late.push(event);
  })();
  const text = (): string => late.flatMap((event) => (event.type === "text_delta" ? [event.data.delta] : [])).join("");
  await until(() => text() === "a", "a");
  say(1);
  await until(() => text() === "ab", "ab");
  end();
  await soon(Promise.all([ended, lateEnded]));
  expect(late).toEqual(await soon(Array.fromAsync(run.events())));
});

it("shows it with the commit where there is no relay", async () => {
  const { model, say, end } = createGatedModel(["a"]);
  const { ended, heard, events, run } = await openTwo(model, undefined);
  say(0);
  await settle();
  expect(heard()).toBe("");
  end();
  await soon(ended);
  expect(events).toEqual(await soon(Array.fromAsync(run.events())));
});

it("gives every event once and in order, whatever a relay loses, repeats and delays", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(2), { minLength: 5, maxLength: 60 }), async (times) => {
      let next = 0;
      const { relay, sent } = createRelays(() => times[next++ % times.length] ?? 1);
      const pieces = ["a", "b", "c", "d"];
      const { model, say, end } = createGatedModel(pieces);
      const { run, events, ended } = await openTwo(model, relay);
      for (const index of pieces.keys()) {
        say(index);
        await settle(2);
      }
      end();
      await soon(ended);
      expect(sent.length).toBeGreaterThan(0);
      expect(events).toEqual(await soon(Array.fromAsync(run.events())));
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    }),
    { numRuns: 25 },
  );
});

it("withdraws what a lost owner showed and never committed", async () => {
  const { relay } = createRelays();
  const first = createGatedModel(["lost "]);
  const { world, run, events, ended, heard } = await openTwo(first.model, relay, { isFrozen: true });
  first.say(0);
  await until(() => heard() === "lost ", "the text that will be lost");
  // Its owner stands still; another process takes the run over when the lease is over.
  const second = createGatedModel(["kept"]);
  second.say(0);
  second.end();
  const next = await openRuntime({ world, model: second.model, live: relay });
  await world.env.advance(60_000);
  await soon(ended);
  expect(typesOf(events)).toContain("stream_reset");
  const reset = events.findLast(({ type }) => type === "stream_reset");
  const from = reset?.type === "stream_reset" ? reset.data.from_seq : -1;
  const before = events.slice(0, events.indexOf(reset as AgentEvent)).filter(({ seq = 0 }) => seq <= from);
  const after = events.slice(events.indexOf(reset as AgentEvent) + 1);
  const stored = await soon(Array.fromAsync((await next.runtime.run(run.id)).events()));
  expect([...before, ...after]).toEqual(stored);
});
