import { textOf } from "@reprise/contracts";
import { type Script, scriptedModel } from "@reprise/models";
import { createInstalledPlugins } from "@reprise/plugins";
import { activeAgents, type HandoffOptions, handoff } from "@reprise/plugins/handoff";
import { createRuntime, type Definitions, defineAgent } from "@reprise/runtime";
import { createDefinitions, readConfig } from "@reprise/server/config";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";

const HAND = (agent_id: string, message?: string) =>
  ({ call: "agent_handoff", arguments: { agent_id, ...(message !== undefined && { message }) } }) as const;

type Scripts = { readonly [agent: string]: Script };

async function open(scripts: Scripts, define: (models: Models) => Definitions) {
  const env = createFakeEnv();
  const models = Object.fromEntries(Object.entries(scripts).map(([id, script]) => [id, scriptedModel(script, id)]));
  const runtime = await createRuntime({
    ...define(models),
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  const say = async (agent: string, input = "go") => {
    const run = await runtime.start({ agent, threadId: "t1", input });
    const outcome = await run.outcome();
    const record = await run.record();
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
    return { outcome, path: record.agent_path ?? [record.agent_id] };
  };
  return { runtime, models, say };
}

type Models = { readonly [agent: string]: ReturnType<typeof scriptedModel> };

/** Agents by the ids of their scripts, each with the plugin. */
const inCode =
  (options: HandoffOptions = {}) =>
  (models: Models): Definitions => ({
    agents: Object.entries(models).map(([id, model]) =>
      defineAgent({ id, description: `Knows ${id}.`, model, plugins: [handoff(options)] }),
    ),
  });

/** The same as a configuration file. */
const inFile =
  (section: object = {}) =>
  (models: Models): Definitions => {
    const file = {
      agents: Object.keys(models).map((id) => ({
        id,
        model: id,
        plugin_ids: ["handoff"],
        sections: { handoff: section },
      })),
      models: Object.fromEntries(Object.keys(models).map((id) => [id, { provider: "p", model: id }])),
      providers: { p: {} },
    };
    const createProvider = (id: string) => ({ id, model: (model: string) => models[model] ?? scriptedModel(["?"]) });
    return createDefinitions(readConfig(file), {
      tools: [],
      plugins: createInstalledPlugins(),
      createProvider,
      variable: () => undefined,
    });
  };

describe.each([
  ["in code", inCode()],
  ["in a configuration file", inFile()],
])("the plugin %s", (_, define) => {
  it("hands a run over: the model reads who may take over, and the other agent answers with all that was said", async () => {
    const { models, say } = await open({ math: [[HAND("code", "In Rust.")]], code: ["fn sum()"] }, define);
    const { outcome, path } = await say("math", "Sum it.");
    expect(outcome).toMatchObject({ status: "done", text: "fn sum()" });
    expect(path).toEqual(["math", "code"]);
    const [first] = models.math?.requests ?? [];
    expect(textOf(first?.messages.at(-1) ?? { content: "" })).toContain("<agent><id>code</id>");
    expect(textOf(first?.messages.at(-1) ?? { content: "" })).not.toContain("<id>math</id>");
    const heard = models.code?.requests[0]?.messages ?? [];
    expect(heard.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "user"]);
    expect(textOf(heard[2] ?? { content: "" })).toBe('{"status":"handoff_initiated","target":"code"}');
    expect(textOf(heard[3] ?? { content: "" })).toContain("In Rust.");
  });

  it("has the agent that was active last answer the next message, also one that names the first agent", async () => {
    const { runtime, models, say } = await open({ math: [[HAND("code")]], code: ["one", "two", "three"] }, define);
    await say("math");
    expect(await say("math", "And now?")).toMatchObject({ outcome: { text: "two" }, path: ["math", "code"] });
    expect(models.math?.requests).toHaveLength(1);
    expect(activeAgents.read(await runtime.threads.state("t1"))).toEqual({ math: "code" });
    // A request for another agent begins where it is asked to.
    expect((await say("code", "Hello.")).path).toEqual(["code"]);
  });
});

it("has the agent that the request names answer, when it is set up so", async () => {
  for (const define of [inCode({ nextRun: "requested" }), inFile({ next_run: "requested" })]) {
    const { say } = await open({ math: [[HAND("code")], "math again"], code: ["one"] }, define);
    await say("math");
    expect(await say("math")).toMatchObject({ outcome: { text: "math again" }, path: ["math"] });
  }
});

it("goes back when the other agent hands the conversation back, and starts there the next time", async () => {
  const { runtime, say } = await open(
    { math: [[HAND("code")], "back", "still here"], code: [[HAND("math")]] },
    inCode(),
  );
  expect(await say("math")).toMatchObject({ outcome: { text: "back" }, path: ["math", "code", "math"] });
  expect(activeAgents.read(await runtime.threads.state("t1"))).toEqual({ math: "math" });
  expect(await say("math")).toMatchObject({ outcome: { text: "still here" }, path: ["math"] });
});

it("offers only the targets of its settings, refuses others, and hides the tool without any", async () => {
  const { models, say } = await open(
    { math: [[HAND("law")], "no"], code: ["c"], law: ["l"] },
    inFile({ targets: ["code"] }),
  );
  expect(await say("math")).toMatchObject({ outcome: { text: "no" }, path: ["math"] });
  const result = models.math?.requests[1]?.messages.find(({ role }) => role === "tool");
  expect(JSON.parse(textOf(result ?? { content: "{}" })).error).toEqual({
    code: "unknown_agent",
    message: 'The conversation cannot be handed to agent "law". Agents that may take over: code.',
  });
  const alone = await open({ math: ["alone"] }, inCode());
  await alone.say("math");
  expect(alone.models.math?.requests[0]?.tools).toEqual([]);
});

it("limits the handoffs of a run, and stops agents that send it back and forth", async () => {
  const far = await open(
    { a: [[HAND("b")]], b: [[HAND("c")], "It ends here."], c: ["never"] },
    inFile({ max_handoffs: 1 }),
  );
  expect(await far.say("a")).toMatchObject({ outcome: { text: "It ends here." }, path: ["a", "b"] });
  const loop = await open({ a: [[HAND("b")], [HAND("b")], "I stop."], b: [[HAND("a")]] }, inCode());
  expect(await loop.say("a")).toMatchObject({ outcome: { text: "I stop." }, path: ["a", "b", "a"] });
});

it("answers by itself when the agent that took over is gone, or no longer allowed", async () => {
  const both = await open({ math: [[HAND("code")]], code: ["one"] }, inCode());
  await both.say("math");
  const { runtime } = both;
  const model = scriptedModel(["math alone"]);
  await runtime.redefine({ agents: [defineAgent({ id: "math", model, plugins: [handoff()] })] });
  expect(await both.say("math")).toMatchObject({ outcome: { text: "math alone" }, path: ["math"] });
});

it("is refused in a configuration that does not fit", () => {
  for (const section of [{ next_run: "latest" }, { max_handoffs: 0 }, { targets: "code" }]) {
    expect(() => inFile(section)({ math: scriptedModel(["x"]) })).toThrow(
      'the section "handoff" of the plugin "handoff"',
    );
  }
  expect(() => handoff({ maxHandoffs: 0 })).toThrow("maxHandoffs");
});
