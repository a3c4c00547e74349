import type { ModelProvider } from "@reprise/contracts";
import { openaiCompatible } from "@reprise/models";
import { defineTool } from "@reprise/runtime";
import { type ModelServer, type ServerScript, startModelServer } from "@reprise/testkit/model-server";
import { afterEach, describe, expect, it } from "vitest";
import { type Bench, execute } from "../support/agent-bench.ts";

const servers: ModelServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(script: ServerScript): Promise<ModelServer> {
  const server = await startModelServer(script);
  servers.push(server);
  return server;
}

function providerAt(id: string, server: ModelServer, renewKey?: () => Promise<string>): ModelProvider {
  const renewing = renewKey === undefined ? {} : { renewKey };
  return openaiCompatible({ id, baseUrl: `${server.url}/v1`, apiKey: "sk-old-key-0123456789", ...renewing });
}

const lookUp = defineTool({ id: "look_up", description: "Looks up.", class: "read_only", execute: () => "42" });

describe("an agent node over HTTP", () => {
  it.each([
    [401, "provider_auth", false],
    [403, "provider_auth", false],
    [429, "provider_rate_limit", true],
    [500, "provider_unavailable", true],
    [503, "provider_unavailable", true],
    [400, "validation", false],
    [404, "validation", false],
    [422, "validation", false],
  ] as const)("takes a %d for %s", async (status, code, retryable) => {
    const server = await serve([{ status, body: { error: { message: "No, sk-old-key-0123456789." } } }]);
    const { outcome } = await execute({ providers: { acme: providerAt("acme", server) } });
    expect(outcome).toMatchObject({ kind: "failed", error: { code, retryable } });
    expect(JSON.stringify(outcome)).not.toContain("sk-old");
  });

  it("takes a connection that breaks in the middle for an unavailable provider", async () => {
    const server = await serve([{ steps: [{ text: "Tea is" }, { cut: true }], cutBy: "reset" }]);
    const { outcome, events } = await execute({ providers: { acme: providerAt("acme", server) } });
    expect(outcome).toMatchObject({ kind: "failed", error: { code: "provider_unavailable", retryable: true } });
    expect(events[0]).toMatchObject({ type: "node_delta", data: { delta: "Tea is" } });
  });

  it("stops the request when the node is cancelled", async () => {
    const controller = new AbortController();
    const server = await serve([{ steps: [{ text: "Tea" }, { stall: true }] }]);
    const ran = execute({
      providers: { acme: providerAt("acme", server) },
      context: { signal: controller.signal, emit: () => controller.abort() },
    });
    expect((await ran).outcome).toMatchObject({ kind: "failed", error: { code: "cancelled", retryable: false } });
    expect(await server.requests[0]?.isAnswered).toBe(false);
  });

  it("runs tools, renews a refused key, and falls back to another provider", async () => {
    const primary = await serve([
      { status: 401, body: { error: { message: "Old key." } } },
      [{ call: "look_up", arguments: {} }],
      { status: 529, body: { error: { message: "Busy." } } },
    ]);
    const other = await serve([[{ text: "It is 42." }, { usage: { promptTokens: 7, completionTokens: 3 } }]]);
    const bench: Bench = {
      providers: {
        acme: providerAt("acme", primary, async () => "sk-new-key-0123456789"),
        other: providerAt("other", other),
      },
      tools: [lookUp],
      agent: { tools: ["look_up"], fallback_chain: [{ provider: "other", model: "small" }] },
    };
    const { outcome, events } = await execute(bench);
    expect(outcome).toMatchObject({ kind: "completed", output: "It is 42.", tokensUsed: { model: "small" } });
    expect(primary.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer sk-old-key-0123456789",
      "Bearer sk-new-key-0123456789",
      "Bearer sk-new-key-0123456789",
    ]);
    const costs = events.flatMap((event) =>
      event.type === "node_cost" ? [[event.data.attempt, event.data.model]] : [],
    );
    expect(costs).toEqual([
      [1, "large"],
      [2, "large"],
      [3, "large"],
      [4, "small"],
    ]);
    const body = JSON.stringify(other.requests[0]?.body);
    expect(body).toContain('"42"');
    expect(body).toContain("You write.");
  });
});
