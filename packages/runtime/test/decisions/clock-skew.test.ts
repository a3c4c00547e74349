import { type Env, suspendTool, type Tool } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { createMemoryBlobStore } from "@reprise/stores/memory";
import { openPostgresStore } from "@reprise/stores/postgres";
import { eventually } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { useServer } from "../../../stores/test/postgres/use-server.ts";
import { interceptStore } from "../support/intercept-store.ts";
import { createWorld, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon, until } from "../support/wait.ts";
import { byHistory, resultOf } from "./support/by-history.ts";
import { assertSettled } from "./support/settled.ts";

const SKEWS = [-60_000, -5_000, -50, 50, 5_000, 60_000];

/** A process whose wall clock is wrong. */
function skewed<World extends Env>(env: World, ms: number): World {
  return { ...env, clock: { ...env.clock, now: () => env.clock.now() + ms } };
}

function askingFor(expires_in_ms: number): { readonly tool: Tool; readonly keys: readonly string[] } {
  return countingTool({
    execute: (_, { decision }) =>
      decision === undefined ? suspendTool({ action: "soon", expiresInMs: expires_in_ms }) : "went on",
  });
}

const CALL = { call: "add", arguments: { title: "x" } };

describe.each(SKEWS)("issue 14.27: a process whose clock is off by %d ms", (skew) => {
  it("lets a question run out when its time is up for the store, and not before", async () => {
    const world = createWorld();
    const env = skewed(world.env, skew);
    const script = byHistory([[CALL], "after"]);
    const { runtime, model, tenant } = await openRuntime({ world, env, script, tools: [askingFor(5_000).tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    const [open] = await runtime.decisions.list();
    expect(open?.expires_at).toBe(world.env.clock.now() + 5_000);
    await world.env.advance(4_900);
    expect(await run.record()).toMatchObject({ status: "waiting" });
    await world.env.advance(2_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(resultOf(model.requests[1], open?.id ?? "")).toContain("expired");
    await assertSettled(tenant, "t1");
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });

  it("lets a question run out that a process with another clock asked", async () => {
    const world = createWorld();
    const script = byHistory([[CALL], "after"]);
    const tools = [askingFor(5_000).tool];
    const asking = await openRuntime({ world, env: skewed(world.env, -skew), script, tools });
    const { id } = await asking.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(async () => (await asking.runtime.decisions.list()).length === 1, "the question");
    await asking.runtime.close();
    const other = await openRuntime({ world, env: skewed(world.env, skew), script, tools });
    await world.env.advance(7_000);
    expect(await soon((await other.runtime.run(id)).outcome())).toMatchObject({ status: "done", text: "after" });
    await assertSettled(other.tenant, "t1");
  });

  it("takes a decision that comes in time for the store, and refuses one that does not", async () => {
    const world = createWorld();
    const env = skewed(world.env, skew);
    const script = byHistory([[CALL, CALL], "after"]);
    const store = interceptStore(world.store, { operator: () => ({ claim: async () => [] }) });
    const { runtime } = await openRuntime({ world, store, env, script, tools: [askingFor(5_000).tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    const [first, second] = await runtime.decisions.list();
    await world.env.advance(4_999);
    await runtime.decisions.decide(first?.id ?? "", { action: "approve" });
    await world.env.advance(1);
    const late = runtime.decisions.decide(second?.id ?? "", { action: "approve" });
    await expect(late).rejects.toMatchObject({ code: "NOT_SUSPENDED" });
  });

  it("tries again what it gave back after the pause it meant", async () => {
    const world = createWorld();
    const env = skewed(world.env, skew);
    let isBroken = true;
    const store = interceptStore(world.store, {
      tenant: (inner) => ({
        async loadThread(threadId) {
          if (isBroken) throw new Error("the disk is on fire");
          return inner.loadThread(threadId);
        },
      }),
    });
    const { runtime, tenant } = await openRuntime({ world, store, env, limits: { maxActiveRuns: 1 } });
    await tenant.createThread({ thread_id: "t1", metadata: {} });
    const request = { agent_id: "agent", thread_id: "t1", messages: [{ role: "user" as const, content: "go" }] };
    const entry = {
      entry_id: "e1",
      thread_id: "t1",
      run_id: "r1",
      request,
      busy_policy: "enqueue",
      priority: 0,
    } as const;
    await tenant.submit(entry);
    await until(async () => (await tenant.listEntries()).items[0]?.attempts === 1, "the first attempt");
    isBroken = false;
    await settle();
    expect((await tenant.listEntries()).items[0]).toMatchObject({ status: "queued" });
    await world.env.advance(2_000);
    expect(await soon((await runtime.run("r1")).outcome())).toMatchObject({ status: "done" });
  });
});

describeWithService("postgres", "issue 14.27: processes on Postgres whose clocks are wrong", (service) => {
  const server = useServer(service);

  it("let every question run out, whichever of them is woken", { timeout: 60_000 }, async () => {
    const schema = server.freshSchema();
    const runtimes = await Promise.all(
      SKEWS.map(async (skew) => {
        const env = skewed(createNodeEnv({ log: () => undefined }), skew);
        const store = await openPostgresStore({ url: server.url, schema });
        const tool = askingFor(200).tool;
        const agent = defineAgent({ id: "agent", model: scriptedModel(byHistory([[CALL], "after"])), tools: [tool] });
        const limits = { pollMs: 50, recheckMs: 200 };
        const runtime = await createRuntime({ agents: [agent], env, store, blobs: createMemoryBlobStore(env), limits });
        onTestFinished(() => runtime.close().then(() => store.close()));
        return runtime;
      }),
    );
    const runs = await Promise.all(
      runtimes.flatMap((runtime, index) =>
        [1, 2, 3, 4].map((number) => runtime.start({ agent: "agent", threadId: `t${index}-${number}`, input: "go" })),
      ),
    );
    await eventually(async () => {
      const records = await Promise.all(runs.map((run) => run.record()));
      expect(records.filter(({ status }) => status !== "done").map(({ run_id, status }) => [run_id, status])).toEqual(
        [],
      );
    });
    for (const run of runs) expect(await run.outcome()).toMatchObject({ status: "done", text: "after" });
  });
});
