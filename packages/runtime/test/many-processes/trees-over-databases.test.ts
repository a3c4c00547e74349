import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { type PostgresStore, postgres } from "@reprise/stores/postgres";
import { expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { useServer } from "../../../stores/test/postgres/use-server.ts";
import { createAgents } from "./support/agents.ts";
import { scatter } from "./support/scatter.ts";
import { call } from "./support/use-fleet.ts";

/** A run that has others do two things, one after the other and one in the background, and these another one. */
const TASK = JSON.stringify([
  { call: "delegate", arguments: { prompt: call("delegate", { prompt: call("work", { ms: 1 }) }) } },
  { call: "delegate", arguments: { prompt: call("work", { ms: 2 }), background: true } },
]);

const TREES = 6;

describeWithService("postgres", "trees of agents on two databases", (service) => {
  const used = useServer(service);

  /** Plays trees whose first runs have ids of clients, or of the runtime. Answers where the threads of each tree are. */
  async function play(
    change: (store: PostgresStore) => PostgresStore,
    idOf: (index: number) => { readonly run_id?: string },
  ): Promise<readonly ReadonlySet<string | undefined>[]> {
    const urls = [await used.makeDatabase(), await used.makeDatabase()];
    const store = await postgres(urls);
    onTestFinished(() => store.close());
    const executed: string[] = [];
    const ports = { executing: (_: string, key: string) => executed.push(key), asked: () => undefined };
    const env = createNodeEnv();
    const runtime = await createRuntime({
      agents: createAgents("1", ports),
      env,
      store: change(store),
      blobs: store.blobs,
    });
    onTestFinished(() => runtime.close());
    const tenant = store.forTenant("default");
    const trees = Array.from({ length: TREES }, async (_, index) => {
      const threadId = `tree-${index}`;
      const run = await runtime.submit({
        agent_id: "worker",
        thread_id: threadId,
        messages: [{ role: "user", content: TASK }],
        ...idOf(index),
      });
      expect(await run.outcome()).toMatchObject({ status: "done" });
      return run.id;
    });
    const roots = await Promise.all(trees);
    // Tasks in the background may end after the run that started them, and then the thread has their notice.
    await expect.poll(async () => (await tenant.listRuns({ limit: 200 })).items.every(isOver)).toBe(true);
    await expect.poll(async () => (await tenant.listEntries({ status: "queued" })).total).toBe(0);
    const { items } = await tenant.listRuns({ limit: 200 });
    // Each piece of work was done once: two in each tree.
    expect(executed).toHaveLength(2 * TREES);
    expect(new Set(executed).size).toBe(2 * TREES);
    const placeOf = (await Promise.all(urls.map((url) => threadsIn(url)))).map((ids) => new Set(ids));
    return Promise.all(
      roots.map(async (root, index) => {
        const below = items.filter(({ root_run_id }) => root_run_id === root).map(({ thread_id }) => thread_id);
        expect(new Set(below).size).toBeGreaterThanOrEqual(3);
        // The end of the background task reached the thread once.
        const { messages } = await tenant.listMessages(`tree-${index}`, { visibility: "internal" });
        expect(messages.map(({ metadata }) => metadata?.source)).toHaveLength(1);
        const all = [`tree-${index}`, ...below];
        return new Set(all.map((id) => String(placeOf.findIndex((ids) => ids.has(id)))));
      }),
    );

    async function threadsIn(url: string): Promise<readonly string[]> {
      const rows = await used.sqlAt(url, "reprise", ["select thread_id from threads"]);
      return rows.map(({ thread_id }) => String(thread_id));
    }
  }

  it("stay together, whoever made the ids of their first runs", async () => {
    const ids = [(index: number) => ({ run_id: `chosen-${index}` }), () => ({})] as const;
    for (const idOf of ids) {
      const places = await play((store) => store, idOf);
      for (const tree of places) expect(tree.size).toBe(1);
      expect(new Set(places.flatMap((tree) => [...tree])).size).toBe(2);
    }
  });

  it("deliver once also when their threads are in different databases", async () => {
    const places = await play(scatter, (index) => ({ run_id: `chosen-${index}` }));
    expect(places.some((tree) => tree.size === 2)).toBe(true);
  });
});

function isOver({ status }: { readonly status: string }): boolean {
  return status === "done";
}
