import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createRuntime, defineAgent, defineTool, scriptedModel, sqlite } from "reprise";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createSharedFolder } from "./support/shared-folder.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");
const cwd = createSharedFolder();

/** What is in the store: a run that is done, and one that waits for a decision. */
const stored = { done: "", waiting: "", call: "" };
beforeAll(async () => {
  const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => ({ paid: true }) });
  const look = defineTool({ id: "look", description: "Looks.", execute: () => ({ seen: "a red kite" }) });
  const agents = [
    defineAgent({ id: "watcher", tools: [look], model: scriptedModel([[{ call: "look" }], "I saw a kite."]) }),
    defineAgent({ id: "clerk", tools: [pay], model: scriptedModel([[{ call: "pay" }], "Paid."]) }),
  ];
  const store = await sqlite(join(cwd, "reprise.db"));
  const runtime = await createRuntime({ agents, store });
  const done = await runtime.start({ agent: "watcher", threadId: "birds", input: "What is in the sky?" });
  await done.outcome();
  const waiting = await runtime.start({ agent: "clerk", threadId: "bills", input: "Pay Ada." });
  await waiting.outcome();
  const [open] = await runtime.decisions.list();
  Object.assign(stored, { done: done.id, waiting: waiting.id, call: open?.id ?? "" });
  await runtime.close();
  await store.close();
});

/** The official client, in either era of the protocol. */
async function connect(mode: "legacy" | "modern", ...words: readonly string[]): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { mode: mode === "modern" ? { pin: "2026-07-28" } : "legacy" } },
  );
  const args = ["--conditions=reprise-source", MAIN, "mcp", "--storage-dir", cwd, ...words];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd }));
  return client;
}

interface Answer {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: { readonly [key: string]: unknown };
}

const ask = async (client: Client, name: string, given: Record<string, unknown> = {}): Promise<Answer> =>
  (await client.callTool({ name, arguments: given })) as unknown as Answer;

describe.each(["legacy", "modern"] as const)("reprise mcp for a %s client", (mode) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect(mode);
  });
  afterAll(() => client.close());

  it("tells assistants about runs and threads, and changes nothing", async () => {
    const { tools } = await client.listTools();
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(tools.map(({ name }) => name)).not.toContain("decide");

    const threads = await ask(client, "list_threads", { limit: 1 });
    expect(threads.structuredContent).toMatchObject({ items: [{ thread_id: "bills" }], total: 2, has_more: true });
    const found = await ask(client, "search_threads", { text: "KITE" });
    expect(found.structuredContent).toMatchObject({
      items: [{ thread_id: "birds", newest: { text: "I saw a kite." } }],
    });
    const shown = await ask(client, "show_thread", { thread_id: "birds", limit: 1 });
    expect(shown.structuredContent).toMatchObject({ messages: [{ role: "assistant" }], has_more: true });

    const runs = await ask(client, "list_runs", { status: "waiting" });
    expect(runs.structuredContent).toMatchObject({ items: [{ run_id: stored.waiting }], total: 1 });
    const ended = await ask(client, "list_runs", { agent_id: "watcher", termination_code: "natural" });
    expect(ended.structuredContent).toMatchObject({ items: [{ run_id: stored.done }] });

    const [{ text: story = "" } = {}] = (await ask(client, "show_run", { run_id: stored.done })).content;
    expect(story).toMatch(/^Run .+ of agent watcher on thread birds\. done: natural\. 2 steps/);
    expect(story).toContain("The model calls look {}");
    expect(story).toContain('look answers: {"seen":"a red kite"}');
    expect(story).toContain("The agent says: I saw a kite.");
    const [{ text: waiting = "" } = {}] = (await ask(client, "show_run", { run_id: stored.waiting })).content;
    expect(waiting).toContain("of pay waits for a decision");

    const first = await ask(client, "run_events", { run_id: stored.done, limit: 2 });
    const items = first.structuredContent?.items as readonly { cursor: string; event: { seq: number } }[];
    expect(items.map(({ event }) => event.seq)).toEqual([1, 2]);
    const next = await ask(client, "run_events", { run_id: stored.done, after: items[1]?.cursor, limit: 1 });
    expect(next.structuredContent).toMatchObject({ items: [{ event: { seq: 3 } }] });

    const early = await ask(client, "thread_state", { thread_id: "birds", version: 1 });
    expect(early.structuredContent).toMatchObject({ version: 1 });
    const history = await ask(client, "thread_history", { thread_id: "birds", limit: 1 });
    expect(history.structuredContent).toMatchObject({ items: [{ version: 1, run_id: stored.done }], has_more: true });
    const verified = await ask(client, "verify_run", { run_id: stored.done });
    expect(verified.structuredContent).toMatchObject({ equal: true });
    const open = await ask(client, "list_decisions");
    expect(open.structuredContent).toMatchObject({ items: [{ id: stored.call, tool_id: "pay" }] });
  });

  it("says why it cannot answer, so that the assistant asks otherwise", async () => {
    const problems = [
      ["show_run", { run_id: "nowhere" }, "RUN_NOT_FOUND"],
      ["show_run", {}, "run_id must be a non-empty string."],
      ["show_run", { run: "x" }, "show_run has no argument run."],
      ["list_runs", { status: "lost" }, "status must be one of running, waiting, done."],
      ["list_threads", { limit: 1_000 }, "limit must be a whole number from 1 to 100."],
      ["verify_run", { run_id: stored.waiting }, "RUN_NOT_DONE"],
    ] as const;
    for (const [name, given, message] of problems) {
      const answer = await ask(client, name, given);
      expect([answer.isError, answer.content[0]?.text]).toEqual([true, expect.stringContaining(message)]);
    }
    await expect(ask(client, "decide", { call_id: stored.call, action: "approve" })).rejects.toThrow(
      'There is no tool "decide".',
    );
  });
});

it("decides when that was allowed, and says what counts", async () => {
  const client = await connect("modern", "--allow-decisions");
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "decide")?.annotations?.readOnlyHint).toBe(false);
  const denied = await ask(client, "decide", { call_id: stored.call, action: "deny", reason: "Not today." });
  expect(denied.structuredContent).toMatchObject({ call_id: stored.call, action: "cancel", reason: "Not today." });
  const again = await ask(client, "decide", { call_id: stored.call, action: "approve" });
  expect([again.isError, again.content[0]?.text]).toEqual([true, expect.stringContaining("DECISION_CONFLICT")]);
});
