import { excludeTool, suspendCall, type Tool } from "@reprise/contracts";
import { openaiCompatible } from "@reprise/models";
import { deferredTools } from "@reprise/plugins/deferred-tools";
import { type PermissionRule, permission } from "@reprise/plugins/permission";
import { definePlugin, defineTool } from "@reprise/runtime";
import { startModelServer } from "@reprise/testkit/model-server";
import { createRuntime, defineAgent, memory } from "reprise";
import { expect, it, onTestFinished } from "vitest";
import { type Bench, openAgent } from "./support/open-agent.ts";

const LONG = "It takes its time, is thorough, and says what it did when it is over. ".repeat(4);

/** A tool that says its id. */
function echo(id: string, description = `Does ${id}. ${LONG}`): Tool {
  return defineTool({
    id,
    description,
    inputSchema: { type: "object", properties: { amount: { type: "integer", description: "How much of it." } } },
    execute: () => `${id} done`,
  });
}

const SERVICES = ["billing", "calendar", "github", "jira", "mail"];
const catalogue = (count: number): readonly Tool[] =>
  Array.from({ length: count }, (_, at) => echo(`mcp__${SERVICES[at % SERVICES.length]}__action_${at}`));
const WEATHER = echo("weather_report", "Says what the weather will be.");

const search = (query: string) => ({ call: "tool_search", arguments: { query } });
const told = ({ model }: Pick<Bench, "model">): readonly (readonly string[])[] =>
  model.requests.map(({ tools }) => tools.map(({ id }) => id).toSorted());

async function resultsOf({ runtime }: Bench): Promise<readonly string[]> {
  const { messages } = await runtime.threads.messages("t1");
  return messages.flatMap(({ role, content }) => (role === "tool" ? [String(content)] : []));
}

const EQUAL = { equal: true };

it("shows the model tool_search instead of the catalogue, and a tool from the step after it was found", async () => {
  const script = [[search("weather")], [{ call: "weather_report" }], "Sunny."];
  const bench = await openAgent({ tools: [...catalogue(60), WEATHER], plugins: [deferredTools()], script });
  const outcome = await bench.run();
  expect(outcome).toMatchObject({ status: "done", text: "Sunny." });
  const loaded = ["tool_search", "weather_report"];
  expect(told(bench)).toEqual([["tool_search"], loaded, loaded]);
  const [found = "", called] = await resultsOf(bench);
  expect(JSON.parse(found)).toEqual({
    tools: [{ id: "weather_report", description: "Says what the weather will be." }],
  });
  expect(called).toContain("weather_report done");
  expect(bench.model.requests[0]?.system).toContain("tool_search");
  expect(await bench.verify(outcome)).toMatchObject(EQUAL);
});

it("is set up by a configuration file", async () => {
  const script = [[search("+github action")], [{ call: "mcp__github__action_2" }], "Done."];
  const bench = await openAgent({
    tools: [...catalogue(60), WEATHER],
    script,
    configured: {
      plugin_ids: ["deferred_tools"],
      sections: { deferred_tools: { always_visible: ["weather_*"], max_results: 2 } },
    },
  });
  const outcome = await bench.run();
  expect(told(bench)[0]).toEqual(["tool_search", "weather_report"]);
  expect(told(bench)[1]).toHaveLength(4);
  const [found = "", called] = await resultsOf(bench);
  expect(JSON.parse(found)).toMatchObject({ tools: { length: 2 }, more_matches: 10 });
  expect(called).toContain("mcp__github__action_2 done");
  expect(await bench.verify(outcome)).toMatchObject(EQUAL);
});

it("leaves a small catalogue as it is, without tool_search", async () => {
  const bench = await openAgent({ tools: [WEATHER], plugins: [deferredTools()] });
  await bench.run();
  expect(told(bench)).toEqual([["weather_report"]]);
  expect(bench.model.requests[0]?.system).not.toContain("tool_search");
});

it("refuses a tool that was not loaded, and says how to load it", async () => {
  const script = [[{ call: "mcp__jira__action_3" }], "Oh."];
  const bench = await openAgent({ tools: catalogue(60), plugins: [deferredTools()], script });
  await bench.run();
  const [refused] = await resultsOf(bench);
  expect(refused).toContain("Tool mcp__jira__action_3 may not be used in this step. Load it with tool_search first");
});

it("answers a call of an unknown tool without naming the catalogue", async () => {
  const bench = await openAgent({
    tools: catalogue(60),
    plugins: [deferredTools()],
    script: [[{ call: "nothing" }], "Oh."],
  });
  const outcome = await bench.run();
  expect((await resultsOf(bench))[0]).toContain('There is no tool \\"nothing\\". Available tools: tool_search.');
  expect(await bench.verify(outcome)).toMatchObject(EQUAL);
});

it("keeps loaded tools visible in later runs, and unloads the one that was not used for longest", async () => {
  const tools = ["alpha", "beta", "gamma", "delta"].map((id) => echo(id));
  const script = [
    [search("select:alpha,beta")],
    [{ call: "alpha" }],
    "First run.",
    [search("select:gamma")],
    "Second run.",
  ];
  const plugin = deferredTools({ maxPromoted: 2, deferAboveTokens: 0 });
  const bench = await openAgent({ tools, plugins: [plugin], script });
  await bench.run();
  const outcome = await bench.run();
  const shown = told(bench).map((ids) => ids.filter((id) => id !== "tool_search"));
  expect(shown).toEqual([[], ["alpha", "beta"], ["alpha", "beta"], ["alpha", "beta"], ["alpha", "gamma"]]);
  expect(JSON.parse((await resultsOf(bench)).at(-1) ?? "")).toMatchObject({ unloaded: ["beta"] });
  expect(await bench.verify(outcome)).toMatchObject(EQUAL);
});

it("says which ids of a selection do not exist, and lists the groups for an empty query", async () => {
  const script = [[search("select:mcp__mail__action_4,nothing,tool_search"), search("  ")], "Oh."];
  const bench = await openAgent({ tools: catalogue(60), plugins: [deferredTools()], script });
  await bench.run();
  const [selected = "", groups = ""] = await resultsOf(bench);
  expect(JSON.parse(selected)).toMatchObject({
    tools: [{ id: "mcp__mail__action_4" }, { id: "tool_search" }],
    unknown_ids: ["nothing"],
  });
  expect(JSON.parse(groups)).toEqual({
    tools: 60,
    groups: SERVICES.map((name) => ({ name: `mcp__${name}`, tools: 12 })),
  });
});

/** Keeps two tools from the model, as a permission plugin does with what it denies. */
const denying = definePlugin({
  id: "denying",
  hooks: { beforeInference: () => [excludeTool("secret_vault"), excludeTool("mcp__mail__action_14")] },
});

it("does not find a tool that another plugin excludes, and does not advise to load it", async () => {
  const tools = [...catalogue(60), echo("secret_vault")];
  const queries = ["secret vault", "select:secret_vault", "+mail", ""];
  const script = [queries.map(search), [{ call: "secret_vault" }], "Oh."];
  const bench = await openAgent({ tools, plugins: [denying, deferredTools({ maxResults: 50 })], script });
  const outcome = await bench.run();
  const [words, selected, mail, groups, called] = await resultsOf(bench);
  for (const result of [words, mail, groups]) expect(result).not.toMatch(/secret_vault|mcp__mail__action_14/);
  expect(JSON.parse(selected ?? "")).toMatchObject({ tools: [], unknown_ids: ["secret_vault"] });
  expect(JSON.parse(groups ?? "")).toMatchObject({ tools: 59 });
  expect(called).toContain("may not be used in this step");
  expect(called).not.toContain("tool_search");
  expect(await bench.verify(outcome)).toMatchObject(EQUAL);
});

it("leaves what permission denies unfound, and lets permission decide about a tool that was found", async () => {
  const rules: readonly PermissionRule[] = [
    { tool: "tool_search", behavior: "allow" },
    { tool: "mcp__mail__*", behavior: "deny" },
    { tool: "mcp__jira__action_3(secret*)", behavior: "deny" },
  ];
  const script = [
    [search("+mail action"), search("select:mcp__jira__action_3")],
    [{ call: "mcp__jira__action_3" }],
    "Oh.",
  ];
  const plugins = [permission({ default: "ask", rules }), deferredTools()];
  const bench = await openAgent({ tools: catalogue(60), plugins, script });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const outcome = await run.outcome();
  expect(outcome).toMatchObject({ status: "waiting", open: [{ tool_id: "mcp__jira__action_3" }] });
  const [mail = "", jira = ""] = await resultsOf(bench);
  expect(JSON.parse(mail)).toMatchObject({ tools: [], hint: expect.any(String) });
  expect(JSON.parse(jira)).toMatchObject({ tools: [{ id: "mcp__jira__action_3" }] });
});

it("does not find an excluded tool either when the search waited for an approval", async () => {
  const asking = definePlugin({
    id: "asking",
    hooks: {
      beforeToolExecute: ({ call, decision }) =>
        call.toolId === "tool_search" && decision === undefined ? [suspendCall({ action: "approve" })] : undefined,
    },
  });
  const tools = [...catalogue(60), echo("secret_vault")];
  const script = [[search("secret vault mail")], "Oh."];
  const bench = await openAgent({ tools, plugins: [denying, asking, deferredTools({ maxResults: 50 })], script });
  const waiting = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  expect(await waiting.outcome()).toMatchObject({ status: "waiting" });
  const [open] = await bench.runtime.decisions.list({ threadId: "t1" });
  await bench.runtime.decisions.decide(open?.id ?? "", { action: "approve" });
  expect(await (await bench.runtime.run(waiting.id)).outcome()).toMatchObject({ status: "done" });
  const [found = ""] = await resultsOf(bench);
  expect(found).toContain("mcp__mail__action_9");
  expect(found).not.toMatch(/secret_vault|mcp__mail__action_14/);
});

it("asks a search of the author's own, and replays its answer", async () => {
  const asked: unknown[] = [];
  const plugin = deferredTools({
    search: async (query, tools) => {
      asked.push([query, tools.length]);
      return ["nowhere", "weather_report", "weather_report"];
    },
  });
  const script = [[search("will it rain?")], "Maybe."];
  const bench = await openAgent({ tools: [...catalogue(60), WEATHER], plugins: [plugin], script });
  const outcome = await bench.run();
  expect(asked).toEqual([["will it rain?", 61]]);
  expect(told(bench)[1]).toContain("weather_report");
  expect(await bench.verify(outcome)).toMatchObject(EQUAL);
  expect(asked).toHaveLength(1);
});

it("costs the model a bounded prompt with 5,000 tools, at a real model server", async () => {
  const tools = catalogue(5_000);
  const script = [
    [search("github action 1002")],
    ...Array.from({ length: 6 }, (_, at) => [
      search(`select:${[1, 2, 3, 4].map((each) => `mcp__mail__action_${at * 100 + each * 5 + 4}`).join(",")}`),
    ]),
    [search("+github 1002")],
    [{ call: "mcp__github__action_1002" }],
    "Done.",
  ];
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const model = openaiCompatible({ id: "local", baseUrl: `${server.url}/v1` }).model("test");
  const agent = defineAgent({ id: "a", model, tools, plugins: [deferredTools()], maxRounds: 20 });
  const runtime = await createRuntime({ agents: [agent], store: memory() });
  onTestFinished(() => runtime.close());
  const outcome = await runtime.runToCompletion({ agent: "a", threadId: "t1", input: "go" });
  expect(outcome).toMatchObject({ status: "done", text: "Done." });

  const whole = JSON.stringify(tools.map(({ descriptor }) => descriptor)).length;
  const sent = server.requests.map(({ body }) => (body as { readonly tools: readonly unknown[] }).tools);
  const sizes = sent.map((shown) => JSON.stringify(shown).length);
  expect(sent[0]).toHaveLength(1);
  expect(sent.at(-1)).toHaveLength(21);
  expect(Math.max(...sizes)).toBeLessThan(21 * 700);
  expect(whole).toBeGreaterThan(100 * Math.max(...sizes));
});
