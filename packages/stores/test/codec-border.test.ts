import { type AgentEvent, type LanguageModel, type Store, textOf } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createMemoryBlobStore, createMemoryStore } from "../src/memory/index.ts";
import { useTemporaryStore } from "./support/temporary-store.ts";

/** Half characters in every position, and what must stay as it is beside them. */
const TEXTS: readonly string[] = [
  "\ud83d",
  "a\udc00b",
  "\ude00\ud83d",
  "end \ud800",
  "\ud83d\ude00 whole",
  "nul\u0000 and \ufeff and e\u0301 and \u00e9",
];

const HOSTILE: Json = { text: TEXTS.join(" | "), list: [...TEXTS], "key \ud83d": { "\udc00": "\ud800" } };

/** What the runtime makes of a value from outside, once: half characters are replaced. */
function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]));
}

/** Every character by itself, so that no pair stays together. */
function cut(text: string): readonly string[] {
  return Array.from({ length: text.length }, (_, index) => text.charAt(index));
}

async function open(store: Store, script: Script | LanguageModel) {
  const env = createNodeEnv({ log: () => undefined });
  const echo = defineTool({
    id: "echo",
    description: "Gives back hostile values.",
    inputSchema: z.record(z.string(), z.unknown()),
    execute: () => HOSTILE,
  });
  const ask = defineTool({
    id: "ask",
    description: "Waits for an answer.",
    inputSchema: z.record(z.string(), z.unknown()),
    needsApproval: true,
    execute: (input) => input,
  });
  const agent = defineAgent({
    id: "agent",
    model: "stream" in script ? script : scriptedModel(script),
    tools: [echo, ask],
  });
  const runtime = await createRuntime({ agents: [agent], env, store, blobs: createMemoryBlobStore(env) });
  onTestFinished(() => runtime.close());
  return { runtime, tenant: store.forTenant("default") };
}

/** Expects every string of a value to be whole, and says which is not. */
function expectWhole(value: unknown): void {
  const halves: string[] = [];
  JSON.stringify(value, (key, part: unknown) => {
    for (const text of [key, part])
      if (typeof text === "string" && !text.isWellFormed()) halves.push(`${key}: ${text}`);
    return part;
  });
  expect(halves).toEqual([]);
}

async function storedEvents(store: Store, runId: string): Promise<readonly AgentEvent[]> {
  return (await store.forTenant("default").readEvents(runId, 0)).flatMap(({ events }) => events);
}

describe.each([
  ["memory", async () => createMemoryStore(createNodeEnv())],
  ["sqlite", async () => (await useTemporaryStore()).store],
] as const)("text that comes into a runtime on %s", (_, openStore) => {
  it("of clients is made whole once, and is the same in the thread, the run, the state and the mailbox", async () => {
    const store = await openStore();
    const { runtime, tenant } = await open(store, ["ok"]);
    const said = { role: "user", content: TEXTS.join(" | "), metadata: { extra: HOSTILE } } as const;
    const parts = { role: "user", content: TEXTS.map((text) => ({ type: "text", text })) } as const;
    const request = {
      agent_id: "agent",
      thread_id: "t1",
      messages: [said, parts],
      state: { k: HOSTILE },
      metadata: { m: HOSTILE },
    };
    const run = await runtime.submit(request as Parameters<typeof runtime.submit>[0]);
    expect(await run.outcome()).toMatchObject({ status: "done" });
    const [first, second] = (await tenant.listMessages("t1")).messages;
    expect(first?.content).toBe(said.content.toWellFormed());
    expect(first?.metadata?.extra).toEqual(wellFormed(HOSTILE));
    expect(second?.content).toEqual(TEXTS.map((text) => ({ type: "text", text: text.toWellFormed() })));
    expect((await tenant.loadRun(run.id))?.metadata).toEqual({ m: wellFormed(HOSTILE) });
    expect(await runtime.threads.state("t1")).toMatchObject({ k: wellFormed(HOSTILE) });
    const [entry] = (await tenant.listEntries()).items;
    expect(entry?.request).toMatchObject(wellFormed(request as unknown as Json) as object);
    expectWhole([await tenant.readChangesets("t1", 0), entry]);
  });

  it("of a model waits for its other half, and is shown as it is stored", async () => {
    const store = await openStore();
    const whole = "before \ud83d\ude00 between \ud83e\udd8a after";
    const { runtime, tenant } = await open(store, [[{ reasoning: "\ud83d" }, { text: cut(`${whole}\ud83d`) }]]);
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const shown = await Array.fromAsync(run.events());
    const stored = await storedEvents(store, run.id);
    expectWhole(stored);
    const told = (events: readonly AgentEvent[]) =>
      events.flatMap((event) => (event.type === "text_delta" ? [event.data.delta] : [])).join("");
    expect(told(stored)).toBe(told(shown));
    expect(told(stored)).toContain(whole);
    const answer = (await tenant.listMessages("t1")).messages.at(-1);
    expect(answer && textOf(answer)).toBe(told(stored));
  });

  it("of a model's arguments is whole in every piece that is shown and stored", async () => {
    const store = await openStore();
    const given = { title: "\ud83d\ude00 \ud83e\udd8a" };
    const raw = JSON.stringify(given);
    const { runtime, tenant } = await open(store, callInPieces("echo", raw));
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await run.outcome()).toMatchObject({ status: "done" });
    const stored = await storedEvents(store, run.id);
    const deltas = stored.flatMap((event) => (event.type === "tool_call_delta" ? [event.data.args_delta] : []));
    expect(deltas.join("")).toBe(raw);
    expectWhole(stored);
    expect((await tenant.listCalls({ thread_id: "t1" })).items[0]?.arguments).toEqual(given);
  });

  it("of a tool is made whole, and is the same for the model, in events and in the thread", async () => {
    const store = await openStore();
    const { runtime, tenant } = await open(store, [[{ call: "echo" }], "ok"]);
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await run.outcome()).toMatchObject({ status: "done" });
    const stored = await storedEvents(store, run.id);
    const done = stored.find((event) => event.type === "tool_call_done");
    expect(done?.data.result.data).toEqual(wellFormed(HOSTILE));
    expectWhole([stored, await tenant.readChangesets("t1", 0)]);
  });

  it("of a decision is made whole", async () => {
    const store = await openStore();
    const { runtime, tenant } = await open(store, [[{ call: "ask" }, { call: "ask" }], "ok"]);
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const outcome = await run.outcome();
    const [supplied, edited] = outcome.status === "waiting" ? outcome.open : [];
    const reason = "because \ud83d";
    await runtime.decisions.decide(supplied?.id ?? "", { action: "supply", result: HOSTILE, reason });
    await runtime.decisions.decide(edited?.id ?? "", { action: "edit", arguments: HOSTILE, reason });
    expect(await run.outcome()).toMatchObject({ status: "done" });
    const decisions = await Promise.all(
      [supplied, edited].map((call) => tenant.loadDecision(run.id, call?.id ?? "", 1)),
    );
    expect(decisions).toMatchObject([{ result: wellFormed(HOSTILE) }, { arguments: wellFormed(HOSTILE) }]);
    expectWhole([decisions, await tenant.readChangesets("t1", 0), await storedEvents(store, run.id)]);
  });

  it("of a cancellation is made whole", async () => {
    const store = await openStore();
    const { runtime, tenant } = await open(store, [[{ stall: true }]]);
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await run.cancel("because \ud83d");
    expect(await run.outcome()).toMatchObject({ status: "cancelled" });
    expectWhole([await storedEvents(store, run.id), await tenant.loadRun(run.id), (await tenant.listEntries()).items]);
  });
});

/** A model that calls a tool once, its arguments coming in single characters. */
function callInPieces(tool: string, raw: string): LanguageModel {
  let turns = 0;
  return {
    id: "pieces",
    async *stream() {
      turns += 1;
      if (turns === 1) {
        yield { type: "tool_call_start", id: "c", name: tool } as const;
        for (const args_delta of cut(raw)) yield { type: "tool_call_delta", id: "c", args_delta } as const;
        yield { type: "tool_call_ready", id: "c", name: tool, arguments: raw } as const;
        yield { type: "finish", stop_reason: "tool_use" } as const;
        return;
      }
      yield { type: "text_delta", delta: "ok" } as const;
      yield { type: "finish", stop_reason: "end_turn" } as const;
    },
  };
}
