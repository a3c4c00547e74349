import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { McpServer } from "@reprise/plugins/mcp";
import { describe, expect, it, onTestFinished } from "vitest";
import { openMcp } from "./open-mcp.ts";

const EVERYTHING = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

const WAYS: readonly (readonly [string, () => Promise<McpServer>])[] = [
  ["over stdio", async () => ({ command: process.execPath, args: [EVERYTHING, "stdio"] })],
  ["over Streamable HTTP", async () => ({ url: await serveEverything() })],
];

async function serveEverything(): Promise<string> {
  const port = await new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
  const child: ChildProcess = spawn(process.execPath, [EVERYTHING, "streamableHttp"], {
    env: { ...process.env, PORT: String(port) },
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill());
  const url = `http://127.0.0.1:${port}/mcp`;
  await expect
    .poll(
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);
  return url;
}

describe.each(WAYS)("the reference server everything %s", (_, way) => {
  it("has its tools used, its resources and prompts listed, its progress shown and its questions answered, and the run verifies", async () => {
    const { runtime, model, plugin } = await openMcp({
      script: [
        [
          { call: "mcp__all__echo", arguments: { message: "hello" } },
          { call: "mcp__all__get-structured-content", arguments: { location: "New York" } },
          { call: "mcp__all__get-tiny-image" },
          { call: "mcp__all__trigger-long-running-operation", arguments: { duration: 2, steps: 4 } },
          { call: "mcp_list_resources", arguments: { server: "all", search: "architecture" } },
          { call: "mcp_list_prompts", arguments: { server: "all" } },
          {
            call: "mcp_get_prompt",
            arguments: { server: "all", prompt: "args-prompt", arguments: { city: "Lisbon" } },
          },
        ],
        [{ call: "mcp__all__trigger-elicitation-request" }],
        "done",
      ],
      options: { servers: { all: await way() } },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const results = new Map<string, unknown>();
    let activities = 0;
    for await (const event of run.events()) {
      if (event.type === "tool_call_done") results.set(event.data.result.tool_name, event.data.result.data);
      if (event.type === "activity_snapshot") activities += 1;
    }
    expect(results.get("mcp__all__echo")).toBe("Echo: hello");
    expect(results.get("mcp__all__get-structured-content")).toMatchObject({ temperature: expect.any(Number) });
    expect(results.get("mcp__all__get-tiny-image")).toContain("[image: image/png");
    expect(results.get("mcp__all__trigger-long-running-operation")).toContain("completed");
    expect(results.get("mcp_list_resources")).toMatchObject({ resources: [{ uri: expect.any(String) }] });
    expect(JSON.stringify(results.get("mcp_list_prompts"))).toContain("args-prompt");
    expect(results.get("mcp_get_prompt")).toMatchObject({ messages: [{ role: "user", text: expect.any(String) }] });
    expect(JSON.stringify(results.get("mcp_get_prompt"))).toContain("Lisbon");
    expect(activities).toBeGreaterThanOrEqual(2);
    expect(await run.outcome()).toMatchObject({ status: "waiting" });
    const [question] = await runtime.decisions.list({ threadId: "t1" });
    expect(question?.ticket?.suspension.action).toBe("mcp_input");
    const answer = { name: "Ada", check: true, email: "ada@example.com", integer: 1, number: 1 };
    await runtime.decisions.decide(question?.id ?? "", { action: "supply", result: answer });
    expect(await run.outcome()).toMatchObject({ status: "done" });
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("Ada");
    expect(plugin.status()).toMatchObject([{ state: "ready", leftOut: [] }]);
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  }, 60_000);
});
