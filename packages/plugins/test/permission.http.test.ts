import { permission } from "@reprise/plugins/permission";
import { defineTool } from "@reprise/runtime";
import { createServer } from "@reprise/server";
import { expect, it, onTestFinished } from "vitest";
import { openAgent } from "./support/open-agent.ts";

const ran: unknown[] = [];
const bash = defineTool({
  id: "bash",
  description: "Runs a command.",
  inputSchema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  execute: ({ command }: { command: string }) => {
    ran.push(command);
    return "ok";
  },
});

/** A server whose agent has rules, asked without a socket. */
async function serve() {
  ran.length = 0;
  const rules = [
    { tool: "bash(npm *)", behavior: "allow" },
    { tool: "bash(rm *)", behavior: "deny", reason: "Nothing is deleted here." },
  ] as const;
  const { runtime } = await openAgent({ tools: [bash], plugins: [permission({ rules })] });
  const server = createServer({ runtime });
  onTestFinished(() => server.close());
  const send = async (method: string, path: string, body?: object) => {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const response = await server.fetch(new Request(`http://localhost${path}`, { method, ...sent }));
    return { status: response.status, body: await response.json() };
  };
  return { runtime, send };
}

it("previews over HTTP what the rules say, and which rule", async () => {
  const { send } = await serve();
  const preview = async (command: string) => {
    const call = { agentId: "agent", toolId: "bash", arguments: { command } };
    return (await send("POST", "/v1/permissions/preview", call)).body;
  };
  expect(await preview("npm test")).toMatchObject({ decision: "allow", evaluated: [{ rule: "bash(npm *)" }] });
  expect(await preview("rm x")).toMatchObject({
    decision: "deny",
    reason: "Nothing is deleted here.",
    source: "plugin:permission",
    evaluated: [{ rule: "bash(rm *)", scope: "settings" }],
  });
  expect(await preview("ls")).toMatchObject({ decision: "ask", evaluated: [{ source: "default" }] });
  expect(ran).toEqual([]);
});

it("asks about a call by hand over HTTP, and remembers an approval for the thread", async () => {
  const { runtime, send } = await serve();
  const call = (command: string) => {
    return send("POST", "/v1/agents/agent/tools/bash/run", { arguments: { command }, threadId: "t1" });
  };
  expect(await call("rm x")).toMatchObject({ status: 200, body: { result: { status: "error" } } });
  const { status, body } = await call("ls");
  expect([status, body.status, ran]).toEqual([202, "waiting", []]);
  const { items } = (await send("GET", `/v1/decisions?run_id=${body.run_id}`)).body;
  const wrong = await send("POST", `/v1/decisions/${items[0].id}`, { action: "approve", remember: "forever" });
  expect(wrong.status).toBe(400);
  const decided = await send("POST", `/v1/decisions/${items[0].id}`, { action: "approve", remember: "thread" });
  expect(decided).toMatchObject({ status: 202, body: { remember: "thread" } });
  await (await runtime.run(body.run_id)).outcome();
  expect((await call("ls -l")).status).toBe(200);
  expect(ran).toEqual(["ls", "ls -l"]);
});
