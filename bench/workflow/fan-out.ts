import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { defineWorkflow } from "../../packages/workflow/src/run/define-workflow.ts";
import { createWorkflowProgram } from "../../packages/workflow/src/run/workflow-program.ts";
import { recordCommits, replayCommits } from "./recorded-commits.ts";

export interface FanOut {
  readonly nodes: number;
  readonly commits: number;
  readonly runMs: number;
  /** How long the store takes for the run's own commits, without the runtime. */
  readonly replayMs: number;
  /** How long SQLite takes for as many rows of the same size. */
  readonly rawMs: number;
}

const THREAD = "measured";

/** Runs a fan-out of nodes that need no time on SQLite, and writes its commits again: to the store without the runtime, and by hand. */
export async function measureFanOut(nodes: number, maxParallel: number): Promise<FanOut> {
  const folder = await mkdtemp(join(tmpdir(), "reprise-workflow-"));
  try {
    const sqlite = await openSqliteStore({ file: join(folder, "store.db") });
    const { store, take } = recordCommits(sqlite, THREAD);
    const runtime = await createRuntime({
      env: createNodeEnv(),
      store,
      blobs: sqlite.blobs,
      agents: [defineWorkflow({ schema_version: "1.0", workflow: flow(nodes, maxParallel) })],
      programs: [createWorkflowProgram(instantHost)],
    });
    await (await runtime.start({ agent: "fan", threadId: "warm-up", input: "" })).outcome();
    const start = performance.now();
    const run = await runtime.start({ agent: "fan", threadId: THREAD, input: "" });
    const outcome = await run.outcome();
    const runMs = performance.now() - start;
    if (outcome.status !== "done") throw new Error(`The run ended ${outcome.status}.`);
    await runtime.close();
    const recorded = take();
    const replayMs = await replayCommits(sqlite, recorded);
    await sqlite.close();
    const sizes = [recorded.claiming.changeset, ...recorded.changesets].map(
      (changeset) => JSON.stringify(changeset).length,
    );
    return { nodes, commits: sizes.length, runMs, replayMs, rawMs: writeRaw(join(folder, "raw.db"), sizes) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function flow(nodes: number, max_parallel: number) {
  const body = { nodes: [{ id: "item-node", type: "agent", agent_ref: "instant", prompt_template: "go" } as const] };
  const fan = { id: "fan-out", type: "fan_out", over: "items", max_parallel, body } as const;
  return {
    id: "fan",
    max_parallel,
    agents: [{ id: "instant", model: "m", provider: "p" }],
    context: { count: nodes },
    nodes: [fan],
  };
}

const instantHost = {
  sandbox: {
    evaluate: (_: string, { ctx }: { readonly ctx?: unknown }) => ({
      value: Array.from({ length: Number((ctx as { readonly count: number }).count) }, (_, index) => index),
    }),
  },
  runAgent: async ({ path }: { readonly path: string }) => ({ kind: "completed" as const, output: path }),
  pollMediaJob: async () => ({ kind: "completed" as const, output: null }),
  runTool: async () => ({ kind: "completed" as const, output: null }),
};

/** One insert of the same size in one transaction for each commit, as durable as the store's. */
function writeRaw(file: string, sizes: readonly number[]): number {
  const database = new DatabaseSync(file);
  database.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table commits (version integer primary key, body text)",
  );
  const insert = database.prepare("insert into commits (body) values (?)");
  const bodies = sizes.map((size) => "x".repeat(size));
  const start = performance.now();
  for (const body of bodies) insert.run(body);
  const elapsed = performance.now() - start;
  database.close();
  return elapsed;
}
