import { type TokenCounter, transformRequest } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, definePlugin, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { collect, soon } from "../support/wait.ts";

/** Counts characters, so that figures can be read off. */
const characters: TokenCounter = { load: async () => (text) => text.length };

const BLOB = `blob:sha256-${"a".repeat(40)}`;
const LOG = `${"line of the log\n".repeat(300)}see ${BLOB}`;
const read = defineTool({ id: "read", description: "Reads a log.", class: "read_only", execute: () => LOG });

const script: Script = (_, turn) => (turn <= 3 ? [{ call: "read" }] : "done");

async function play(maxContextTokens: number, plugins: Parameters<typeof defineAgent>[0]["plugins"] = []) {
  const model = scriptedModel(script);
  const contextPolicy = { maxContextTokens, maxOutputTokens: 100, minRecentMessages: 2 };
  const runtime = await createRuntime({
    ...createWorld(),
    tokenCounter: characters,
    agents: [defineAgent({ id: "agent", model, tools: [read], contextPolicy, plugins })],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await soon(run.outcome());
  const facts = (await collect(run)).flatMap((event) => (event.type === "context_resolved" ? [event.data] : []));
  const results = model.requests.at(-1)?.messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []));
  const ids = model.requests.at(-1)?.messages.map(({ id }) => id);
  return { runtime, run, facts, ids, results: results ?? [] };
}

it("shows old large results as previews when the request does not fit, and drops no message for it", async () => {
  const { results, facts, runtime, run } = await play(9_000);
  const [first, second, last] = results;
  expect(first).toMatch(/^line of the log\n/);
  expect(String(first).length).toBeLessThan(2_000);
  expect(first).toContain("Preview of an old result of about 48");
  expect(first).toContain(BLOB);
  expect(second).toContain("Preview");
  expect(last).toBe(LOG);
  expect(facts.at(-1)).toMatchObject({ dropped_messages: 0, previewed_messages: 2 });
  expect(facts[0]).not.toHaveProperty("previewed_messages");
  const { messages } = await runtime.threads.messages("t1");
  expect(messages.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([LOG, LOG, LOG]);
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
});

it("shows every result whole while there is room", async () => {
  const { results, facts } = await play(100_000);
  expect(results).toEqual([LOG, LOG, LOG]);
  expect(facts.some((fact) => fact?.previewed_messages !== undefined)).toBe(false);
});

it("leaves out messages when previews are not enough, and keeps the messages that a plugin pins", async () => {
  const note = { id: "note", role: "user", content: "x".repeat(500), visibility: "internal" } as const;
  const pinning = (pinned: readonly string[]) =>
    definePlugin({
      id: "pinning",
      hooks: {
        beforeInference: () => [
          transformRequest((request) => ({ ...request, messages: [note, ...request.messages], pinned })),
        ],
      },
    });
  const kept = await play(6_500, [pinning(["note"])]);
  expect(kept.facts.at(-1)).toMatchObject({ previewed_messages: 2, dropped_messages: 2 });
  expect(kept.ids).toContain("note");
  const lost = await play(6_500, [pinning([])]);
  expect(lost.facts.at(-1)).toMatchObject({ previewed_messages: 2, dropped_messages: 1 });
  expect(lost.ids).not.toContain("note");
});
