import { scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { type Agent, createRuntime, defineAgent } from "@reprise/runtime";
import { createServer } from "@reprise/server";
import { listen } from "@reprise/server/node";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { expect, it, onTestFinished } from "vitest";
import { demoAgents } from "./support/demo-agents.ts";
import { says } from "./support/open-demo.ts";

it("issue 14.31: a finished run is verified over HTTP by a server without its agent", async () => {
  const env = createNodeEnv({ log: () => undefined });
  const place = { env, store: createMemoryStore({ clock: env.clock }), blobs: createMemoryBlobStore(env) };
  const serve = async (agents: readonly Agent[]) => {
    const runtime = await createRuntime({ ...place, agents, limits: { closeTimeoutMs: 1 } });
    const server = await listen(createServer({ runtime }), { port: 0 });
    const close = async (): Promise<void> => {
      await server.close();
      await runtime.close();
    };
    const post = (path: string, body: object = {}): Promise<Response> =>
      fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    return { post, close };
  };
  const first = await serve(demoAgents());
  await (await first.post("/v1/runs", says("hello", { threadId: "t", runId: "r" }))).text();
  await first.close();
  const second = await serve([defineAgent({ id: "newcomer", model: scriptedModel(["hi"]) })]);
  onTestFinished(second.close);
  const verified = await second.post("/v1/runs/r/replay");
  expect(verified.status).toBe(200);
  expect(await verified.json()).toMatchObject({ run_id: "r", mode: "verify", equal: true });
});
