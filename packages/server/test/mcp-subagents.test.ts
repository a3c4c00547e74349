import { describe, expect, it } from "vitest";
import { MCP_CLIENTS, overHttp, overLines } from "./support/mcp-clients.ts";
import { listenDemo, openDemo } from "./support/open-demo.ts";
import { teamAgents } from "./support/team-agents.ts";

async function serve(way: "HTTP" | "lines", names?: readonly string[]) {
  const demo = await openDemo({ agents: teamAgents(names) });
  if (way === "lines") return { ...demo, road: overLines(demo.runtime, {}) };
  const { url } = await listenDemo(demo.server);
  return { ...demo, road: overHttp(new URL(`${url}/mcp`)) };
}

const WAYS = MCP_CLIENTS.flatMap(([name, connect]) =>
  (["HTTP", "lines"] as const).map((way) => [name, way, connect] as const),
);

describe.each(WAYS)("%s over %s and a run below that asks", (_, way, connect) => {
  it.each([
    ["approves", { action: "accept", content: { approve: true } }],
    ["declines", { action: "decline" }],
  ] as const)("asks the person, who %s, and then gets the result of the call", async (__, answer) => {
    const { road, runtime } = await serve(way);
    const asked: string[] = [];
    const client = await connect(road, {
      ask: (message) => {
        asked.push(message);
        return answer;
      },
    });
    const result = await client.call("boss", { input: "go" });
    expect(result).toMatchObject({ structuredContent: { text: "All is paid." } });
    expect(asked).toEqual([expect.stringContaining('pay({"to":"Ada"})')]);
    const [clerk] = (await runtime.runs({ agentId: "clerk" })).items;
    const [call] = (await runtime.calls({ runId: clerk?.run_id ?? "" })).items;
    expect(call?.status).toBe(answer.action === "accept" ? "succeeded" : "cancelled");
  });

  it("asks about each of two runs below", async () => {
    const { road } = await serve(way, ["Ada", "Bob"]);
    const asked: string[] = [];
    const client = await connect(road, {
      ask: (message) => {
        asked.push(/"to":"(\w+)"/.exec(message)?.[1] ?? "");
        return { action: "accept", content: { approve: true } };
      },
    });
    expect(await client.call("boss", { input: "go" })).toMatchObject({ structuredContent: { text: "All is paid." } });
    expect(asked.sort()).toEqual(["Ada", "Bob"]);
  });

  it("says that the run waits when the client cannot ask anybody", async () => {
    const { road, runtime } = await serve(way);
    const result = await (await connect(road)).call("boss", { input: "go" });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toContain("needs the decision of a person");
    expect(await runtime.decisions.list()).toHaveLength(1);
  });
});
