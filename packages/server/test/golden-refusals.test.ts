import { RepriseError } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { createServer, type Principal } from "@reprise/server";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { expect, it, onTestFinished } from "vitest";
import { expectGolden } from "./support/expect-golden.ts";
import { openDemo, openFrozenDemo, says } from "./support/open-demo.ts";

/** Callers say themselves which scope they have. */
const byScope = async (headers: Headers): Promise<Principal | undefined> => {
  const scope = headers.get("authorization");
  return scope === "read" || scope === "run" ? { id: scope, scopes: [scope] } : undefined;
};

it("says who may not come in", async () => {
  const { ask, post } = await openFrozenDemo({ authenticate: byScope });
  const unknown = await ask("/v1/threads");
  expect(unknown.headers.get("www-authenticate")).toBe("Bearer");
  await expectGolden("refusals/401", unknown);
  const reader = { headers: { authorization: "read" } };
  await expectGolden("refusals/403-scope", await ask("/v1/leases", reader));
  await expectGolden("refusals/403-one-of-scopes", await post("/v1/runs/r/inputs", {}, reader.headers));
  await expectGolden("refusals/403-host", await ask("/v1/threads", { headers: { host: "rebound.example" } }));
  await expectGolden("refusals/403-origin", await ask("/v1/threads", { headers: { origin: "https://evil.example" } }));
});

it("says what there is not", async () => {
  const { ask, post } = await openFrozenDemo();
  await (await post("/v1/runs", says("hello", { threadId: "t", runId: "r" }))).text();
  for (const [name, path] of [
    ["route", "/v1/nothing"],
    ["thread", "/v1/threads/none"],
    ["run", "/v1/runs/none"],
    ["blob", `/v1/blobs/${"0".repeat(64)}`],
    ["config", "/v1/config"],
    ["budget", "/v1/runs/r/budget"],
  ] as const) {
    await expectGolden(`refusals/404-${name}`, await ask(path));
  }
  await expectGolden("refusals/404-agent", await post("/v1/runs", { ...says("hello"), agentId: "nobody" }));
  await expectGolden("refusals/404-decision", await post("/v1/decisions/none", { action: "approve" }));
  const requeue = await post("/v1/threads/t/mailbox/none/requeue");
  await expectGolden("refusals/404-entry", requeue);
});

it("says what is in the way of what", async () => {
  const { post } = await openFrozenDemo();
  const key = { "idempotency-key": "k" };
  await (await post("/v1/runs", says("hello", { threadId: "t", runId: "r" }), key)).text();
  await expectGolden("refusals/409-idempotency-key", await post("/v1/runs", says("other"), key));
  await (await post("/v1/runs", says("stall", { threadId: "t2", runId: "r2" }))).body?.cancel();
  const busy = says("hello", { threadId: "t2", busyPolicy: "reject" });
  await expectGolden("refusals/409-busy", await post("/v1/runs", busy));
  const fork = { threadId: "t2" };
  await expectGolden("refusals/409-fork", await post("/v1/threads/t/fork", fork));
});

it("says that another decision came first", async () => {
  const env = createNodeEnv();
  const begun = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const pay = defineTool({
    id: "pay",
    description: "Pays.",
    needsApproval: true,
    idempotent: true,
    execute: async () => {
      begun.resolve();
      await go.promise;
      return "paid";
    },
  });
  const model = scriptedModel([[{ call: "pay" }], "Done."]);
  const runtime = await createRuntime({
    env,
    store: createMemoryStore({ clock: env.clock }),
    blobs: createMemoryBlobStore(env),
    agents: [defineAgent({ id: "assistant", model, tools: [pay] })],
  });
  onTestFinished(() => runtime.close());
  const server = createServer({ runtime });
  const post = (path: string, body: object): Promise<Response> =>
    server.fetch(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  await (await post("/v1/runs", says("pay", { threadId: "t", runId: "r" }))).text();
  const path = "/v1/decisions/r-s1-c0";
  expect((await post(path, { action: "approve", decisionId: "first" })).status).toBe(202);
  await begun.promise;
  const rival = await post(path, { action: "deny", decisionId: "second" });
  expect(rival.headers.get("x-reprise-error")).toBe("DECISION_CONFLICT");
  await expectGolden("refusals/409-decision", rival, /(?<="updated_at": )\d+|(?<=approved at )\S+/g);
  // The same one again is told the same.
  expect((await post(path, { action: "approve", decisionId: "first" })).status).toBe(202);
  go.resolve();
  await (await runtime.run("r")).outcome();
});

it("says what is too much", async () => {
  const { ask, post } = await openFrozenDemo({ maxBodyBytes: 1_000, maxBlobBytes: 2_000, streams: { maxStreams: 1 } });
  await expectGolden("refusals/413-body", await post("/v1/runs", says("x".repeat(1_000))));
  await expectGolden("refusals/413-blob", await ask("/v1/blobs", { method: "POST", body: new Uint8Array(2_001) }));
  await post("/v1/runs", says("stall", { threadId: "t", runId: "r" }));
  const full = await ask("/v1/runs/r/events");
  expect(full.headers.get("retry-after")).toBe("1");
  await expectGolden("refusals/503-streams", full);
  const limited = await openDemo({ authenticate: byScope, limits: { requestsPerPrincipal: 1 } });
  const reader = { headers: { authorization: "read" } };
  await limited.ask("/v1/threads", reader);
  await expectGolden("refusals/429-requests", await limited.ask("/v1/threads", reader));
  const streamed = await openDemo({ authenticate: byScope, streams: { maxStreamsPerPrincipal: 1 } });
  const runner = { authorization: "run" };
  await streamed.post("/v1/runs", says("stall", { threadId: "t" }), runner);
  await expectGolden("refusals/429-streams", await streamed.post("/v1/runs", says("x"), runner));
});

it("says that something of its own is broken, and not what", async () => {
  const broken = await openDemo({ onError: () => undefined });
  const answers: readonly (readonly [string, unknown])[] = [
    ["500", new Error("the password is hunter2")],
    ["503-store", new RepriseError("STORE_UNAVAILABLE", "connect to 10.0.0.7 with hunter2 failed")],
    ["503-closed", new RepriseError("RUNTIME_CLOSED", "The runtime is closed.")],
  ];
  for (const [name, error] of answers) {
    broken.runtime.runs = () => Promise.reject(error);
    await expectGolden(`refusals/${name}`, await broken.ask("/v1/runs"));
  }
  await expectGolden("refusals/503-not-ready", await broken.ask("/ready"));
  broken.server.close();
  await expectGolden("refusals/503-closing", await broken.ask("/ready"));
});
