import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { createServer } from "@reprise/server";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { demoAgents } from "./support/demo-agents.ts";

/** A server whose own clock is wrong: the store's time is another one. */
async function openSkewed(behindMs: number, maxActiveRuns?: number) {
  const env = createNodeEnv({ log: () => undefined });
  const clock = { ...env.clock, now: () => env.clock.now() + behindMs };
  const whole = createMemoryStore({ clock });
  let cancels = 0;
  const store = {
    ...whole,
    forTenant(name: string) {
      const inner = whole.forTenant(name);
      const requestCancel = async (runId: string, reason: string): Promise<void> => {
        cancels += 1;
        return inner.requestCancel(runId, reason);
      };
      return { ...inner, requestCancel };
    },
  };
  const limits = { closeTimeoutMs: 1, ...(maxActiveRuns !== undefined && { maxActiveRuns }) };
  const runtime = await createRuntime({ agents: demoAgents(), store, blobs: createMemoryBlobStore(env), env, limits });
  const server = createServer({ runtime });
  onTestFinished(async () => {
    server.close();
    await runtime.close();
  });
  const ask = (path: string, body?: object, headers: Record<string, string> = {}): Promise<Response> =>
    server.fetch(
      new Request(`http://localhost${path}`, {
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      }),
    );
  return { ask, runtime, cancels: () => cancels };
}

describe.each([-120_000, -50, 50, 120_000])(
  "issue 14.27: a server whose clock is %d ms behind its store's",
  (behindMs) => {
    it("answers a repeated request from what it remembers", async () => {
      const { ask, runtime, cancels } = await openSkewed(behindMs);
      const { id } = await runtime.start({ agent: "echo", threadId: "t", input: "stall" });
      const cancel = () => ask(`/v1/runs/${id}/cancel`, {}, { "idempotency-key": "k1" });
      expect((await cancel()).status).toBe(202);
      expect((await cancel()).status).toBe(202);
      expect(cancels()).toBe(1);
    });

    it("finds the run that is next on a chat, for a client that comes back", async () => {
      const { ask, runtime } = await openSkewed(behindMs, 0);
      await runtime.start({ agent: "echo", threadId: "t", input: "hello" });
      const resumed = await ask("/v1/ai-sdk/agents/echo/chats/t/stream");
      expect(resumed.status).toBe(200);
      await resumed.body?.cancel();
    });
  },
);
