import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool, type RuntimeOptions } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { interceptStore } from "../support/intercept-store.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { gate, soon, until } from "../support/wait.ts";

const delegate = defineTool({
  id: "delegate",
  description: "Has the worker work in the background.",
  inputSchema: { type: "object" },
  idempotent: true,
  execute: async (_, { runs }) => ({ ...(await runs.start({ agentId: "worker", prompt: "look", background: true })) }),
});

async function open(
  world: World,
  instanceId: string,
  { store, limits }: Partial<Pick<RuntimeOptions, "store" | "limits">>,
) {
  const hang = defineTool({
    id: "hang",
    description: "Ends when its run does.",
    inputSchema: {},
    idempotent: true,
    execute: (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
  });
  const boss = scriptedModel(
    ({ messages }) =>
      messages.some(({ role }) => role === "tool") ? [{ call: "hang" }] : [{ call: "delegate", arguments: {} }],
    "boss",
  );
  const worker = scriptedModel(() => "found it", "worker");
  const runtime = await createRuntime({
    ...world,
    store: store ?? world.store,
    instanceId,
    agents: [
      defineAgent({ id: "boss", model: boss, tools: [delegate, hang] }),
      defineAgent({ id: "worker", model: worker }),
    ],
    limits: { closeTimeoutMs: 1, ...limits },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, boss, worker };
}

it("asks no model for a notice that was accepted while its tree was cancelled and its process died", async () => {
  const world = createWorld();
  const submitted = gate();
  const cancelled = gate();
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  /** The worker's process looks whether the tree was cancelled, submits the notice after that happened, and dies. */
  const dying = interceptStore(world.store, {
    tenant: (inner) => ({
      async submit(entry, claiming) {
        if (!entry.run_id.endsWith("-completion")) return inner.submit(entry, claiming);
        submitted.open();
        await cancelled.promise;
        await inner.submit(entry);
        isDead = true;
        return never;
      },
      commit: (changeset, guard) => (isDead ? never : inner.commit(changeset, guard)),
      loadDocument: (kind, id) => (isDead ? never : inner.loadDocument(kind, id)),
      requestCancel: (runId, reason) => (isDead ? never : inner.requestCancel(runId, reason)),
    }),
    operator: (inner) => ({
      claim: (request) => (isDead ? never : inner.claim(request)),
      renew: (claims, leaseMs) => (isDead ? never : inner.renew(claims, leaseMs)),
      watch: (listener) => inner.watch((signal) => (isDead ? undefined : listener(signal))),
    }),
  });
  // The run above holds the only slot of its process, so the run below is taken by the one that dies.
  const other = await open(world, "other", { limits: { maxActiveRuns: 1 } });
  const run = await other.runtime.start({ agent: "boss", threadId: "above", input: "go" });
  await until(async () => (await other.runtime.runs({ limit: 10 })).items.length === 1);
  const dead = await open(world, "dead", { store: dying });
  await world.env.advance(2_000);
  await soon(submitted.promise);
  await run.cancel();
  expect(await soon(run.outcome())).toMatchObject({ status: "cancelled" });
  const asked = () => dead.boss.requests.length + other.boss.requests.length;
  const before = asked();
  cancelled.open();
  await until(() => isDead);
  await world.env.advance(30_000);
  const notices = async () =>
    (await other.runtime.mailbox.list({ threadId: "above" })).items.filter(({ run_id }) =>
      run_id.endsWith("-completion"),
    );
  await until(async () => (await notices()).every(({ status }) => status !== "queued" && status !== "claimed"));
  const [notice] = await notices();
  const noticed = await other.runtime.run(notice?.run_id ?? "");
  await world.env.advance(30_000);
  expect(await soon(noticed.outcome())).toMatchObject({ status: "cancelled" });
  expect(asked()).toBe(before);
  const { items } = await other.runtime.runs({ limit: 10 });
  expect(items.every(({ status }) => status === "done")).toBe(true);
});
