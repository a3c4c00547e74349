import { expect, it } from "vitest";
import { demoConfig } from "./demo-config.ts";
import { pickCall } from "./pick-call.ts";

it("gives the tools of MCP_SERVER_CMD to every demonstration agent, and no shell reads the command", () => {
  const { agents } = demoConfig(undefined, `node "my server.ts" --city 'New York' $(rm)`);
  const servers = { mcp_demo: { command: "node", args: ["my server.ts", "--city", "New York", "$(rm)"] } };
  const expected = { plugin_ids: expect.arrayContaining(["mcp"]), sections: { mcp: { servers } } };
  for (const agent of agents as readonly { readonly plugin_ids: readonly string[] }[]) {
    expect(agent).toMatchObject(expected);
    expect(agent.plugin_ids).toEqual([...new Set(agent.plugin_ids)]);
  }
  expect(JSON.stringify(demoConfig(undefined))).not.toContain("mcp_demo");
});

it("calls a tool by its id when it is asked to", () => {
  const said = 'call mcp__mcp_demo__forecast {"city": "Lisbon"}';
  const call = { tool: "mcp__mcp_demo__forecast", arguments: { city: "Lisbon" } };
  expect(pickCall(said, ["mcp__mcp_demo__forecast"])).toEqual(call);
  expect(pickCall(said, [])).toBeUndefined();
  expect(pickCall("call echo {no json", ["echo"])).toEqual({ tool: "echo", arguments: {} });
});
