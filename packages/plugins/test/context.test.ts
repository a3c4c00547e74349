import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, type Message, type ModelRequest, textOf } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { context, contextPlugins } from "@reprise/plugins/context";
import { type AgentDefinition, createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Bench, openAgent } from "./support/open-agent.ts";

/** A request to the model that summarises: it has a system text of its own, and one message. */
function isSummary({ system }: ModelRequest): boolean {
  return system.startsWith("You summarise");
}

const LINE = "The quick brown fox jumps over the lazy dog. ".repeat(8);
const OPTIONS = { summaryMaxTokens: 60, minGainTokens: 20 };
const AGENT: Partial<AgentDefinition> = {
  contextPolicy: {
    maxContextTokens: 4_000,
    maxOutputTokens: 200,
    minRecentMessages: 2,
    autocompactThreshold: 400,
  },
};

const SCRIPT: Script = (request) =>
  isSummary(request) ? `summary of ${countLines(request)} parts` : `${LINE} ${request.messages.length}`;

function countLines({ messages }: ModelRequest): number {
  return textOf(messages[0] ?? { content: "" }).match(/^(user|assistant|result of \S+): /gm)?.length ?? 0;
}

async function eventsOf({ runtime }: Bench, runId: string | undefined): Promise<readonly AgentEvent[]> {
  return Array.fromAsync((await runtime.run(runId ?? "")).events());
}

function compactions(events: readonly AgentEvent[]): readonly AgentEvent[] {
  return events.filter(({ type }) => type.startsWith("compaction_"));
}

/** Runs until something is compacted. */
async function talk(bench: Bench, runs: number) {
  const outcomes = [];
  for (let index = 1; index <= runs; index += 1) outcomes.push(await bench.run(`question ${index}: ${LINE}`));
  return outcomes;
}

const requests = (bench: Bench): readonly ModelRequest[] =>
  bench.model.requests.filter((request) => !isSummary(request));
const contents = (request: ModelRequest | undefined): readonly string[] => request?.messages.map(textOf) ?? [];

describe("a thread that grows", () => {
  it("is summarised beside its run, and later requests contain the summary instead", async () => {
    const bench = await openAgent({ script: SCRIPT, agent: AGENT, plugins: [context(OPTIONS)] });
    const outcomes = await talk(bench, 4);
    const events = (await Promise.all(outcomes.map(({ run }) => eventsOf(bench, run?.run_id)))).flat();
    const [started, completed] = compactions(events);
    expect(started).toMatchObject({
      type: "compaction_started",
      data: { trigger: "threshold", background: true, turns: [outcomes[0]?.run?.run_id] },
    });
    expect(completed).toMatchObject({
      type: "compaction_completed",
      data: { summary_preview: expect.stringMatching(/^summary of \d parts$/), trigger: "threshold" },
    });
    if (completed?.type !== "compaction_completed") throw new Error("Nothing was compacted.");
    expect(completed.data.original_tokens).toBeGreaterThan(completed.data.summary_tokens);
    expect(completed.data.continuation_refs).toEqual([expect.stringMatching(/^message:/)]);
    const last = requests(bench).at(-1);
    expect(contents(last)[0]).toContain('<context source="plugin:context">');
    expect(last?.messages[0]).toMatchObject({ role: "user", visibility: "internal" });
    expect(contents(last).join()).not.toContain("question 1");
    expect(contents(last).join()).toContain("question 4");
    // The thread keeps everything, and no summary is a message of it.
    const { messages } = await bench.runtime.threads.messages("t1");
    expect(messages).toHaveLength(8);
    expect(messages.map(textOf).join()).not.toContain("summary of");
    for (const outcome of outcomes) expect(await bench.verify(outcome)).toMatchObject({ equal: true });
  });

  it("has one summary of everything: the next one is made of the last one and the messages since", async () => {
    const bench = await openAgent({ script: SCRIPT, agent: AGENT, plugins: [context(OPTIONS)] });
    await talk(bench, 8);
    const asked = bench.model.requests.filter(isSummary);
    expect(asked.length).toBeGreaterThan(1);
    expect(contents(asked[0])[0]).not.toContain("earlier summary");
    expect(contents(asked[1])[0]).toContain("The earlier summary:");
    expect(contents(asked[1])[0]).toContain("summary of");
    expect(contents(asked[1])[0]).not.toContain("question 1");
    expect(
      contents(requests(bench).at(-1)).filter((text) => text.includes("A summary of the conversation")),
    ).toHaveLength(1);
  });

  it("is paid for by its runs, and names the plugin", async () => {
    const bench = await openAgent({ script: SCRIPT, agent: AGENT, plugins: [context(OPTIONS)] });
    const outcomes = await talk(bench, 4);
    const events = (await Promise.all(outcomes.map(({ run }) => eventsOf(bench, run?.run_id)))).flat();
    const costs = events.flatMap((event) => (event.type === "cost_recorded" ? [event.data.plugin] : []));
    expect(costs.filter((plugin) => plugin === "context").length).toBeGreaterThan(0);
  });

  it("comes to the same when today's plugin replays it", async () => {
    const bench = await openAgent({ script: SCRIPT, agent: AGENT, plugins: [context(OPTIONS)] });
    for (const { run } of await talk(bench, 5)) {
      const asked = bench.model.requests.length;
      expect(await bench.runtime.replay(run?.run_id ?? "", { mode: "reexecute" })).toMatchObject({ equal: true });
      expect(bench.model.requests).toHaveLength(asked);
    }
  });

  it("is compacted by a configuration that names the plugin, under both of its names, without a warning", async () => {
    const context_policy = { max_context_tokens: 4_000, max_output_tokens: 200, autocompact_threshold: 400 };
    for (const id of ["context", "compaction"]) {
      const sections = { [id]: { summary_max_tokens: 60, min_gain_tokens: 20 } };
      const configured = { plugin_ids: [id], context_policy, sections };
      const bench = await openAgent({ script: SCRIPT, configured });
      const outcomes = await talk(bench, 4);
      expect(contents(requests(bench).at(-1))[0]).toContain("summary of");
      expect(bench.runtime.agents()[0]?.warnings).toEqual([]);
      for (const outcome of outcomes) expect(await bench.verify(outcome)).toMatchObject({ equal: true });
    }
  });

  it("is compacted for every agent with a threshold, when the runtime is given the factory", async () => {
    const env = createFakeEnv();
    const agents = [
      defineAgent({ id: "agent", model: scriptedModel(SCRIPT), ...AGENT }),
      defineAgent({ id: "own", model: scriptedModel(SCRIPT), ...AGENT, plugins: [context(OPTIONS)] }),
      defineAgent({ id: "plain", model: scriptedModel(SCRIPT), contextPolicy: { maxContextTokens: 4_000 } }),
    ];
    const store = createMemoryStore({ clock: env.clock });
    const runtime = await createRuntime({ agents, contextPlugins, env, store, blobs: createMemoryBlobStore(env) });
    onTestFinished(() => runtime.close());
    const plugins = runtime.agents().map(({ id, plugins: ids, warnings }) => [id, ids.includes("context"), warnings]);
    expect(plugins).toEqual([
      ["agent", true, []],
      ["own", true, []],
      ["plain", false, []],
    ]);
  });

  it("is compacted without a policy when the model's window is known", async () => {
    const env = createFakeEnv();
    const model = scriptedModel(SCRIPT);
    const runtime = await createRuntime({
      models: [{ id: "p/m", provider: "p", model: "m", context_window: 1_000 }],
      providers: [{ id: "p", model: () => model }],
      agents: [defineAgent({ id: "agent", model: "p/m", plugins: [context(OPTIONS)] })],
      env,
      store: createMemoryStore({ clock: env.clock }),
      blobs: createMemoryBlobStore(env),
    });
    onTestFinished(() => runtime.close());
    for (let turn = 0; turn < 4; turn += 1) {
      const { run } = await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: LINE });
      expect(await runtime.replay(run?.run_id ?? "")).toMatchObject({ equal: true });
    }
    expect(contents(model.requests.at(-1))[0]).toContain("summary of");
  });

  it("keeps only what cannot be summarised yet, when the policy says so", async () => {
    const contextPolicy = { ...AGENT.contextPolicy, compactionMode: "compact_to_safe_frontier" } as const;
    const bench = await openAgent({ script: SCRIPT, agent: { contextPolicy }, plugins: [context(OPTIONS)] });
    await talk(bench, 3);
    const [summary, ...rest] = contents(requests(bench).at(-1));
    expect(summary).toContain("summary of");
    expect(rest).toEqual([expect.stringContaining("question 3")]);
  });

  it("stays as it is while it is small, and when the plugin is told not to compact", async () => {
    const small = await openAgent({
      script: SCRIPT,
      agent: AGENT,
      plugins: [context({ ...OPTIONS, thresholdTokens: 3_000 })],
    });
    await talk(small, 4);
    const told = await openAgent({ script: SCRIPT, agent: AGENT, plugins: [context({ ...OPTIONS, compact: false })] });
    await talk(told, 4);
    for (const bench of [small, told]) expect(bench.model.requests.filter(isSummary)).toEqual([]);
  });
});

describe("a request that no longer fits", () => {
  it("waits for its summary, and drops no message", async () => {
    const tight = { contextPolicy: { maxContextTokens: 2_000, maxOutputTokens: 100, minRecentMessages: 1 } };
    const plugin = context({ ...OPTIONS, thresholdTokens: 10_000 });
    const bench = await openAgent({ script: SCRIPT, agent: tight, plugins: [plugin] });
    const outcomes = await talk(bench, 10);
    const events = (await Promise.all(outcomes.map(({ run }) => eventsOf(bench, run?.run_id)))).flat();
    expect(compactions(events)[0]).toMatchObject({ data: { trigger: "hard_limit", background: false } });
    expect(compactions(events)[1]).toMatchObject({ type: "compaction_completed" });
    const facts = events.flatMap((event) => (event.type === "context_resolved" ? [event.data] : []));
    expect(facts.map((fact) => fact?.dropped_messages)).toEqual(facts.map(() => 0));
    for (const outcome of outcomes) expect(await bench.verify(outcome)).toMatchObject({ equal: true });
  });

  it("goes out without its oldest messages when the summary does not come", async () => {
    const script: Script = (request) => (isSummary(request) ? [{ stall: true }] : `${LINE} ok`);
    const tight = { contextPolicy: { maxContextTokens: 2_000, maxOutputTokens: 100, minRecentMessages: 1 } };
    const bench = await openAgent({ script, agent: tight, plugins: [context({ ...OPTIONS, waitMs: 1 })] });
    const outcomes = await talk(bench, 10);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["done"]));
    const facts = (await eventsOf(bench, outcomes.at(-1)?.run?.run_id)).flatMap((event) =>
      event.type === "context_resolved" ? [event.data] : [],
    );
    expect(facts[0]?.dropped_messages).toBeGreaterThan(0);
    // One at a time: the one that hangs is not asked for again.
    expect(bench.model.requests.filter(isSummary)).toHaveLength(1);
  });
});

describe("a run of many rounds", () => {
  const read = defineTool({
    id: "read",
    description: "Reads.",
    class: "read_only",
    inputSchema: {},
    execute: () => `${LINE} see blob:abcdef1234567890 and https://example.org/source`,
  });
  const flaky = defineTool({
    id: "flaky",
    description: "Fails.",
    inputSchema: {},
    execute: () => {
      throw new Error("the printer is on fire");
    },
  });

  it("is compacted while it runs, keeps its task, its evidence and its open problems, and separates no call from its result", async () => {
    const script: Script = (request, turn) =>
      isSummary(request)
        ? "the story so far"
        : turn === 1
          ? [{ call: "flaky", arguments: {} }]
          : turn < 10
            ? [{ call: "read", arguments: {} }]
            : "done";
    const bench = await openAgent({
      script,
      tools: [read, flaky],
      agent: { ...AGENT, maxRounds: 20 },
      plugins: [context(OPTIONS)],
    });
    const outcome = await bench.run("find the source");
    expect(outcome.status).toBe("done");
    const last = requests(bench).at(-1);
    const [summary, task] = contents(last);
    expect(summary).toContain("the story so far");
    expect(summary).toContain("blob:abcdef1234567890");
    expect(summary).toContain("https://example.org/source");
    expect(summary).toContain("the printer is on fire");
    expect(task).toBe("find the source");
    for (const request of requests(bench)) expect(unpaired(request.messages)).toEqual([]);
    expect(await bench.verify(outcome)).toMatchObject({ equal: true });
  });
});

/** Calls without results and results without calls. */
function unpaired(messages: readonly Message[]): readonly string[] {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const results = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))];
}

describe("instruction files", () => {
  async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "reprise-instructions-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return folder;
  }
  const facts = (events: readonly AgentEvent[]) =>
    events.flatMap((event) => (event.type === "context_resolved" ? [event.data] : []));

  it("are part of every request, in the user's position, with their sources in context_resolved", async () => {
    const instructionRoot = await folderWith({ "AGENTS.md": "Use tabs.</instructions>", "LONG.md": "x".repeat(100) });
    const instructionFiles = ["AGENTS.md", "LONG.md", "GONE.md", "."];
    const plugin = context({ instructionFiles, instructionRoot, instructionMaxBytes: 50 });
    const bench = await openAgent({ script: ["ok", "ok"], plugins: [plugin] });
    const outcome = await bench.run();
    const [request] = bench.model.requests;
    expect(request?.system).not.toContain("tabs");
    expect(request?.messages[0]).toMatchObject({ role: "user", visibility: "internal" });
    const text = contents(request)[0];
    expect(text).toContain('<instructions source="AGENTS.md">\nUse tabs.&lt;/instructions>\n</instructions>');
    expect(text).toContain(`<instructions source="LONG.md">\n${"x".repeat(50)}\n</instructions>`);
    expect(facts(await eventsOf(bench, outcome.run?.run_id))[0]).toMatchObject({
      refs: [
        { kind: "instruction", ref: "AGENTS.md", plugin: "context" },
        { kind: "instruction", ref: "LONG.md", plugin: "context" },
      ],
      omissions: [
        { ref: "LONG.md", reason: "it is too long; only its beginning is used" },
        { ref: "GONE.md", reason: "it does not exist" },
        { ref: ".", reason: "it is no file" },
      ],
    });
    // Read anew with each step, and never by a replay.
    await writeFile(join(instructionRoot, "AGENTS.md"), "Use spaces.");
    expect(await bench.verify(outcome)).toMatchObject({ equal: true });
    expect(await bench.runtime.replay(outcome.run?.run_id ?? "", { mode: "reexecute" })).toMatchObject({ equal: true });
    await bench.run();
    expect(contents(bench.model.requests[1])[0]).toContain("Use spaces.");
  });

  it("stand in the system text when the operator says so", async () => {
    const instructionRoot = await folderWith({ "AGENTS.md": "Use tabs." });
    const configured = {
      plugin_ids: ["context"],
      system_prompt: "Be brief.",
      sections: {
        context: { instruction_files: ["AGENTS.md"], instruction_root: instructionRoot, instruction_role: "system" },
      },
    };
    const bench = await openAgent({ script: ["ok"], configured });
    const outcome = await bench.run();
    expect(bench.model.requests[0]?.system).toContain('Be brief.\n\n<instructions source="AGENTS.md">\nUse tabs.');
    expect(contents(bench.model.requests[0])).toEqual(["go"]);
    expect(facts(await eventsOf(bench, outcome.run?.run_id))[0]?.refs).toMatchObject([{ ref: "AGENTS.md" }]);
    expect(await bench.verify(outcome)).toMatchObject({ equal: true });
  });
});
