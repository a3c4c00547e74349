import type { Plugin, RunPolicyOptions } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { agentTools } from "@reprise/plugins/agent-tools";
import { permission } from "@reprise/plugins/permission";
import { type ToolPolicyOptions, toolPolicy } from "@reprise/plugins/tool-policy";
import { type Agent, createRuntime, defineAgent, defineTool, sequence } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import fc from "fast-check";
import { expect, it } from "vitest";

const TOOLS = ["read_mail", "send_mail", "read_file", "write_file"];

/** Patterns with the tools that they fit. None fits the tools that delegate. */
const PATTERNS: Readonly<Record<string, (id: string) => boolean>> = {
  ...Object.fromEntries(TOOLS.map((tool) => [tool, (id: string) => id === tool])),
  "read_*": (id) => id.startsWith("read_"),
  "*_mail": (id) => id.endsWith("_mail"),
  "/^(send|write)_/": (id) => /^(send|write)_/.test(id),
};

interface Level {
  /** Agents that are made of others have no policies of their own. */
  readonly isComposed: boolean;
  readonly allowed: readonly string[] | undefined;
  readonly excluded: readonly string[];
  readonly denied: readonly string[];
}

interface Scenario {
  readonly levels: readonly Level[];
  readonly forRun: readonly string[];
  readonly isBackground: boolean;
}

const patterns = fc.uniqueArray(fc.constantFrom(...Object.keys(PATTERNS)), { maxLength: 2 });
const levels = fc.record({
  isComposed: fc.integer({ min: 0, max: 3 }).map((roll) => roll === 3),
  allowed: fc.option(fc.uniqueArray(fc.constantFrom(...Object.keys(PATTERNS)), { minLength: 1, maxLength: 3 }), {
    nil: undefined,
  }),
  excluded: patterns,
  denied: patterns,
});
const scenarios: fc.Arbitrary<Scenario> = fc.record({
  levels: fc.array(levels, { minLength: 2, maxLength: 4 }),
  forRun: fc.uniqueArray(fc.constantFrom(...TOOLS), { maxLength: 1 }),
  isBackground: fc.boolean(),
});

const fits = (list: readonly string[], id: string): boolean => list.some((pattern) => PATTERNS[pattern]?.(id) === true);

/** The tools that every agent from the first to the last allows, and the policy of the run. */
function allowedTools({ levels, forRun }: Scenario): readonly string[] {
  const isAllowed = (id: string): boolean =>
    levels.every(({ isComposed, allowed, excluded, denied }, index) => {
      if (isComposed && index < levels.length - 1) return true;
      return (allowed === undefined || fits(allowed, id)) && !fits([...excluded, ...denied], id);
    });
  return TOOLS.filter((id) => !forRun.includes(id) && isAllowed(id));
}

function pluginsOf({ allowed, excluded, denied }: Level): readonly Plugin[] {
  const options: ToolPolicyOptions = {
    ...(allowed !== undefined && { allowedTools: [...allowed, "agent_*"] }),
    excludedTools: excluded,
  };
  const isLimited = allowed !== undefined || excluded.length > 0;
  const rules = denied.map((tool) => ({ tool, behavior: "deny" }) as const);
  return [
    ...(isLimited ? [toolPolicy(options)] : []),
    ...(denied.length > 0 ? [permission({ default: "allow", rules })] : []),
  ];
}

/** Plays a chain of agents of which the last calls every tool. Returns the tools that were executed. */
async function play({ levels, forRun, isBackground }: Scenario): Promise<readonly string[]> {
  const executed: string[] = [];
  const ended = Promise.withResolvers<void>();
  const tools = TOOLS.map((id) =>
    defineTool({
      id,
      description: "Works.",
      execute: () => {
        executed.push(id);
        return "done";
      },
    }),
  );
  const agents = levels.map((level, index): Agent => {
    const id = `agent-${index}`;
    const below = `agent-${index + 1}`;
    if (index === levels.length - 1) {
      const model = scriptedModel((_, turn) => {
        if (turn === 1) return TOOLS.map((call) => ({ call, arguments: {} }));
        ended.resolve();
        return "done";
      });
      return defineAgent({ id, model, tools, plugins: pluginsOf(level) });
    }
    if (level.isComposed) return sequence({ id, steps: [below] });
    const model = scriptedModel(({ messages }) => {
      if (messages.some(({ role }) => role === "tool")) return "done";
      return [{ call: "agent_run", arguments: { agent_id: below, prompt: "work", background: isBackground } }];
    });
    return defineAgent({ id, model, plugins: [agentTools(), ...pluginsOf(level)] });
  });
  const env = createFakeEnv();
  const runtime = await createRuntime({
    env,
    agents,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    limits: { closeTimeoutMs: 1 },
  });
  try {
    const policy: RunPolicyOptions = { excludedTools: forRun };
    const run = await runtime.start({ agent: "agent-0", input: "go", policy });
    await Promise.all([run.outcome(), ended.promise]);
    return executed;
  } finally {
    await runtime.close().catch(() => undefined);
  }
}

it("the last of a chain of agents may use exactly the tools that all of them may use", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      expect((await play(scenario)).toSorted()).toEqual(allowedTools(scenario).toSorted());
    }),
    { numRuns: process.env.REPRISE_FUZZ ? 1_000 : 60 },
  );
});

it("a run with the context of its caller is held to the caller's tool policy, and gets none of its state otherwise", async () => {
  const executed: string[] = [];
  const work = defineTool({ id: "work", description: "Works.", execute: () => executed.push("work") });
  const start = { call: "agent_run", arguments: { agent_id: "middle", prompt: "work", fork_context: true } };
  const isTold = (role: string) => role === "tool";
  const lead = scriptedModel(({ messages }) => (messages.some(({ role }) => isTold(role)) ? "done" : [start]));
  const middle = scriptedModel((_, turn) =>
    turn === 1 ? [{ ...start, arguments: { ...start.arguments, agent_id: "last" } }] : "done",
  );
  const last = scriptedModel((_, turn) => (turn === 1 ? [{ call: "work", arguments: {} }] : "done"));
  const env = createFakeEnv();
  const runtime = await createRuntime({
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    agents: [
      defineAgent({ id: "lead", model: lead, plugins: [agentTools(), toolPolicy({ excludedTools: ["work"] })] }),
      defineAgent({ id: "middle", model: middle, plugins: [agentTools()] }),
      defineAgent({ id: "last", model: last, tools: [work] }),
    ],
    limits: { closeTimeoutMs: 1 },
  });
  try {
    const outcome = await runtime.runToCompletion({ agent: "lead", input: "go", state: { topic: "rain" } });
    expect(outcome).toMatchObject({ status: "done", text: "done" });
    expect(executed).toEqual([]);
    const [run] = (await runtime.runs({ agentId: "last" })).items;
    expect(run).toMatchObject({ status: "done", termination_code: "natural" });
    const state = await runtime.threads.state(run?.thread_id ?? "");
    expect(state).toMatchObject({ topic: "rain", tool_policy: { inherited: [{ excluded_tools: ["work"] }] } });
    expect(state).not.toHaveProperty("sub_agents");
    const facts = await Array.fromAsync((await runtime.run(run?.run_id ?? "")).events());
    expect(facts.flatMap((event) => (event.type === "permission_evaluated" ? [event.data] : []))).toMatchObject([
      { plugin: "tool_policy", decision: "deny", rule: "work", scope: "inherited" },
    ]);
    for (const { run_id } of (await runtime.runs()).items)
      expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
  } finally {
    await runtime.close().catch(() => undefined);
  }
});
