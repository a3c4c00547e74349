import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { type BlobStore, RepriseError, type Store } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { createMemoryBlobStore } from "@reprise/stores/memory";
import { openPostgresStore } from "@reprise/stores/postgres";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { type Build, createAgents } from "./agents.ts";
import { scatter } from "./scatter.ts";
import type {
  Asked,
  AskedModel,
  Execution,
  Refusal,
  Said,
  WorkerSetup,
  WorkerTask,
  WorkerTasks,
} from "./worker-protocol.ts";

/** A process with a runtime in it, that does what it is asked line by line. SIGTERM closes it as a server would be closed. */
// Written by `startWorker`.
const setup = JSON.parse(process.argv[2] ?? "") as WorkerSetup;
const executed: Execution[] = [];
const asked: AskedModel[] = [];
const logged: string[] = [];

const env = createNodeEnv({ log: (_, message) => logged.push(message) });
const store = await openStore(setup.store);
const runtime = await createRuntime({
  agents: createAgents((setup.build ?? "1") as Build, {
    asked: (request) => asked.push(request),
    ...(setup.modelUrl !== undefined && { modelUrl: setup.modelUrl }),
    executing: (tool, key) => {
      executed.push({ tool, key });
      say({ say: "executing", tool, key });
    },
  }),
  env,
  store,
  blobs: store.blobs ?? createMemoryBlobStore(env),
  ...(setup.limits !== undefined && { limits: setup.limits }),
  ...(setup.instanceId !== undefined && { instanceId: setup.instanceId }),
}).catch((error: unknown) => {
  say({ say: "refused", refusal: describe(error) });
  process.exit(1);
});
const tenant = store.forTenant("default");

const TASKS: { readonly [Task in WorkerTask]: (parameters: WorkerTasks[Task]) => Promise<unknown> } = {
  async start({ agent = "worker", ...run }) {
    return (await runtime.start({ agent, ...run })).id;
  },
  outcome: async ({ runId }) => (await runtime.run(runId)).outcome(),
  decide: ({ target, verb }) => runtime.decisions.decide(target, verb),
  cancel: async ({ runId, reason }) => (await runtime.run(runId)).cancel(reason),
  events: async ({ runId }) => (await tenant.readEvents(runId, 0)).flatMap(({ events }) => events),
  missing: () => runtime.missingAgents(),
  executed: async () => executed,
  asked: async () => asked,
  logged: async () => logged,
  close,
};

process.once("SIGTERM", () => void close());
createInterface({ input: process.stdin }).on("line", (line) => void serve(JSON.parse(line) as Asked));
say({ say: "ready" });

async function serve({ number, task, parameters }: Asked): Promise<void> {
  try {
    // The table has for each task a function that takes the parameters of that task.
    const answer = await (TASKS[task] as (given: unknown) => Promise<unknown>)(parameters);
    say({ number, answer: answer ?? null });
  } catch (error) {
    say({ number, refusal: describe(error) });
  }
}

async function openStore(place: WorkerSetup["store"]): Promise<Store & { readonly blobs?: BlobStore }> {
  switch (place.kind) {
    case "sqlite":
      return openSqliteStore({ file: place.file });
    case "postgres":
      return openPostgresStore({ url: place.url, schema: place.schema, maxConnections: 4 });
    case "scattered":
      return scatter(await openPostgresStore({ urls: place.urls, maxConnections: 4 }));
    default:
      return place satisfies never;
  }
}

async function close(): Promise<void> {
  await runtime.close();
  await store.close();
  say({ say: "closed" });
  process.stdin.destroy();
}

function describe(error: unknown): Refusal {
  if (RepriseError.is(error)) return { code: error.code, message: error.message };
  return { code: "UNEXPECTED", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Written at once: what a process said before it was killed was said. */
function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
}
