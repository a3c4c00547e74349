import { scriptedModel } from "@reprise/models";
import { defineAgent } from "@reprise/runtime";
import type { McpServing } from "@reprise/server";
import { describe, expect, it } from "vitest";
import { mcpAgents } from "./support/mcp-agents.ts";
import { MCP_CLIENTS, overHttp, overLines } from "./support/mcp-clients.ts";
import { listenDemo, openDemo } from "./support/open-demo.ts";

const SERVING: McpServing = { tools: [{ agent: "payer", tool: "lookup" }] };

async function serve(way: "HTTP" | "lines") {
  const { agents, brake } = mcpAgents();
  const demo = await openDemo({ agents, mcp: SERVING });
  if (way === "lines") return { ...demo, road: overLines(demo.runtime, SERVING), brake };
  const { url } = await listenDemo(demo.server);
  return { ...demo, road: overHttp(new URL(`${url}/mcp`)), brake };
}

const WAYS = MCP_CLIENTS.flatMap(([name, connect]) =>
  (["HTTP", "lines"] as const).map((way) => [name, way, connect] as const),
);

describe.each(WAYS)("%s over %s", (_, way, connect) => {
  it("lists agents and the selected tool, in the order of their names", async () => {
    const { road } = await serve(way);
    const tools = await (await connect(road)).list();
    expect(tools.map(({ name }) => name)).toEqual(["counter", "lookup", "payer", "slow", "writer"]);
  });

  it("calls an agent, and continues its thread", async () => {
    const { road } = await serve(way);
    const client = await connect(road);
    const first = await client.call("writer", { input: "hello" });
    expect(first.structuredContent).toMatchObject({ text: "You said hello (1)." });
    const { thread_id } = first.structuredContent as { thread_id: string };
    const second = await client.call("writer", { input: "again", thread_id });
    expect(second.structuredContent).toMatchObject({ text: "You said again (3).", thread_id });
  });

  it("gets the output of an agent with a schema, and the result of a tool, as structured content", async () => {
    const { road } = await serve(way);
    const client = await connect(road);
    await client.list();
    expect(await client.call("counter", { input: "count" })).toMatchObject({ structuredContent: { count: 3 } });
    expect(await client.call("lookup", { word: "reprise" })).toMatchObject({
      structuredContent: { meaning: "what reprise means" },
    });
  });

  it.each([
    ["approves", { action: "accept", content: { approve: true } }, "Done: sent to Ada"],
    ["denies", { action: "accept", content: { approve: false, reason: "Too much." } }, "Too much."],
    ["declines", { action: "decline" }, "denied"],
  ] as const)("asks the person, who %s", async (__, answer, expected) => {
    const { road } = await serve(way);
    const asked: string[] = [];
    const client = await connect(road, {
      ask: (message) => {
        asked.push(message);
        return answer;
      },
    });
    const result = await client.call("payer", { input: "Ada" });
    expect(JSON.stringify(result.content)).toContain(expected);
    expect(asked).toEqual([expect.stringContaining('wire({"to":"Ada"})')]);
  });

  it("says that a run waits when the client cannot ask anybody", async () => {
    const { road, runtime } = await serve(way);
    const result = await (await connect(road)).call("payer", { input: "Ada" });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain("needs the decision of a person");
    expect(await runtime.decisions.list()).toHaveLength(1);
  });

  it("shows progress, and cancels the run with the call", async () => {
    const { road, brake } = await serve(way);
    const client = await connect(road);
    const stop = new AbortController();
    const shown: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }): void => {
      shown.push(message);
      if (message === "Half way.") stop.abort();
    };
    await expect(client.call("slow", { input: "go" }, { signal: stop.signal, onprogress })).rejects.toThrow();
    expect(shown).toEqual(["Thinking.", "Calling wait.", "Half way."]);
    await expect.poll(() => brake.state.cancelled).toBe(1);
  });

  it("is told about a tool that does not exist and about arguments that are wrong", async () => {
    const { road } = await serve(way);
    const client = await connect(road);
    await expect(client.call("nobody", {})).rejects.toThrow("There is no tool");
    await expect(client.call("writer", {})).rejects.toThrow("arguments.input must be a non-empty text.");
  });

  it("hears that the list of tools has changed, and of a list that is the same nothing", async () => {
    const { road, runtime } = await serve(way);
    const heard: (readonly string[])[] = [];
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const onToolsChanged = (names: readonly string[]): void => {
      heard.push(names);
      resolve();
    };
    const client = await connect(road, { onToolsChanged });
    await client.list();
    runtime.addAgent(defineAgent({ id: "added", description: "Is new.", model: scriptedModel(["Here."], "added") }));
    await changed;
    expect(heard).toEqual([["added", "counter", "lookup", "payer", "slow", "writer"]]);
    expect(await client.call("added", { input: "hello" })).toMatchObject({ structuredContent: { text: "Here." } });
  });
});
