/** A process under test: a runtime on the store, with a scripted model, tools that write to the ledger, a socket and an HTTP server. */
import { addSessionContext, type Plugin } from "@reprise/contracts";
import { openaiCompatible } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { defineAgent, definePlugin } from "@reprise/runtime";
import { createServer } from "@reprise/server";
import { listen } from "@reprise/server/node";
import { createExpressionSandbox } from "@reprise/workflow/quickjs";
import { createRuntime } from "reprise";
import type { StoreWithBlobs } from "reprise/advanced";
import { defineWorkflow } from "../../../packages/workflow/src/run/define-workflow.ts";
import { workflows } from "../../../packages/workflow/src/run/workflows.ts";
import { readInstruction } from "../fleet/read-instruction.ts";
import { connectLedger } from "../ledger/ledger-client.ts";
import { plantNamed } from "../plants/table.ts";
import { loadStore, openStore } from "../stores/open-store.ts";
import { isStoreName } from "../stores/store-address.ts";
import { createChaosModel } from "../workload/chaos-model.ts";
import { type ChaosToolsOptions, createChaosTools } from "../workload/chaos-tools.ts";
import { EXPRESSION_MS, FLOW_DOCUMENT, FLOW_PROVIDER, readFlowScript } from "../workload/flow-document.ts";
import { createFlowTools } from "../workload/flow-tools.ts";
import { agentsIn, type Generation, LASTING_AGENT } from "../workload/generation.ts";
import { SCHEDULE_DOCUMENT } from "../workload/schedule-document.ts";
import { createTreeTools } from "../workload/tree-tools.ts";
import { watchClaims } from "./claim-epochs.ts";
import { FaultPoints } from "./fault-points.ts";
import { serveClients } from "./serve-clients.ts";
import { serveSchedules } from "./serve-schedules.ts";
import { skewClock } from "./skew-clock.ts";
import { storeWithPoints } from "./store-with-points.ts";
import { createWorkerLog } from "./worker-log.ts";
import type { WorkerOptions } from "./worker-options.ts";

const [store = ""] = process.argv.slice(2);
if (isStoreName(store)) await loadStore(store);
// The rig started this process for this. Until it says what to do, the process waits, loaded.
const options = (await readInstruction()) as WorkerOptions;
const { worker, incarnation, generation, skewMs } = options;
const trueNow = skewClock(skewMs);
const points = new FaultPoints(options.arm);
const visit = (point: string): void => points.visit(point);

const ledger = await connectLedger(options.ledger);
const plant = plantNamed(options.plant);
const opened: StoreWithBlobs = storeWithPoints(await openStore(options.store), visit);
const claims = watchClaims(plant?.wrapStore?.(opened) ?? opened, ({ thread_id, epoch }) =>
  ledger.write({ kind: "claim", thread_id, epoch, worker, incarnation }),
);
const provider =
  options.modelUrl === undefined ? undefined : openaiCompatible({ id: "rig", baseUrl: options.modelUrl });
const model = createChaosModel({
  ...(provider !== undefined && { remote: provider.model("script") }),
  point: visit,
  record(line) {
    const flow = readFlowScript(line.script);
    const begun = flow === undefined ? {} : { epoch: claims.epochOf(flow.thread_id) };
    return ledger.write({ ...line, ...begun, worker, incarnation });
  },
});
const effects: Pick<ChaosToolsOptions, "point" | "trueNow" | "takeEffect"> = {
  point: visit,
  trueNow,
  takeEffect: (line) => ledger.write({ epoch: claims.epochOf(line.thread_id), ...line, worker, incarnation }),
};
const tools = createChaosTools(
  { ...effects, kindOf: (name, kind) => plant?.wrapTool?.(name, kind) ?? kind },
  generation,
);

/** Each generation has a plugin that the one before did not have. */
function createPlugin({ number }: Generation): Plugin {
  return definePlugin({
    id: `generation-${number}`,
    hooks: { beforeInference: () => [addSessionContext(`This is generation ${number}.`)] },
  });
}

const agents = agentsIn(generation).map((id) =>
  defineAgent({
    id,
    maxRounds: 30,
    instructions: `You are of generation ${generation.number}.`,
    model,
    tools: [...tools, ...createTreeTools()],
    allowedAgents: [LASTING_AGENT],
    plugins: generation.number === 0 ? [] : [createPlugin(generation)],
  }),
);

const env = createNodeEnv({
  log: createWorkerLog((run_id) => ledger.write({ kind: "loss", run_id, worker, incarnation })),
});
const runtime = await createRuntime({
  agents: [...agents, defineWorkflow(FLOW_DOCUMENT), defineWorkflow(SCHEDULE_DOCUMENT)],
  programs: [
    workflows({ sandbox: createExpressionSandbox({ clock: env.clock, yield: env.yield, timeoutMs: EXPRESSION_MS }) }),
  ],
  providers: [{ id: FLOW_PROVIDER, model: () => model }],
  tools: createFlowTools({ ...effects, epochOf: claims.epochOf }),
  store: claims.store,
  env: {
    ...env,
    clock: plant?.wrapClock?.(env.clock) ?? env.clock,
    point(name) {
      visit(name);
      return undefined;
    },
  },
  ...(options.keepsInstanceId && { instanceId: worker }),
  limits: {
    leaseMs: options.leaseMs,
    renewEveryMs: options.renewEveryMs,
    // Fewer places than threads, so that some runs wait for one.
    maxActiveRuns: options.maxActiveRuns,
    pollMs: 200,
    recheckMs: 500,
    closeTimeoutMs: 20,
    storageFullPauseMs: 300,
  },
});
await serveClients({
  runtime,
  store: claims.store,
  points,
  socket: options.socket,
  createDistortion: () => plant?.createDistortion?.() ?? ((event) => event),
});
const served = plant?.wrapServer?.(createServer({ runtime }), runtime) ?? createServer({ runtime });
const listening = await listen(served, { port: 0, closeTimeoutMs: 20 });
// The orderly way out: no more work, what is under way comes to a commit, claims are given back.
process.once("SIGTERM", () => void Promise.all([listening.close(), runtime.close()]).finally(() => process.exit(0)));
if (options.schedulesOver !== undefined) serveSchedules(runtime, env, options.schedulesOver);
process.stdout.write(`${listening.url}\n`);
