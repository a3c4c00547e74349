import type { RunRequest, Store } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import { createRuntime, defineAgent, type Runtime } from "@reprise/runtime";
import { ops } from "@reprise/state";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createExpressionSandbox } from "@reprise/workflow/quickjs";
import { defineWorkflow } from "../../../../packages/workflow/src/run/define-workflow.ts";
import { workflows } from "../../../../packages/workflow/src/run/workflows.ts";
import type { EffectLine, LedgerEntry, LedgerLine, ModelLine } from "../../ledger/ledger-line.ts";
import type { WorkerAsk } from "../../wire/worker-messages.ts";
import { WitnessLog } from "../../witness/witness-log.ts";
import { watchClaims } from "../../worker/claim-epochs.ts";
import { createChaosModel } from "../../workload/chaos-model.ts";
import { type ChaosToolsOptions, createChaosTools } from "../../workload/chaos-tools.ts";
import { EXPRESSION_MS, FLOW_AGENT, FLOW_DOCUMENT, FLOW_PROVIDER } from "../../workload/flow-document.ts";
import { createFlowTools } from "../../workload/flow-tools.ts";
import { pauseFor } from "../../workload/pause-for.ts";
import { scriptMessage } from "../../workload/run-script.ts";
import { createTreeTools } from "../../workload/tree-tools.ts";
import type { History } from "../history.ts";
import { readThreads } from "../read-history.ts";

/** A script that asks for `charge`, `note` and `pay`, then for `publish` and `look`, and then has its last word. */
export const SCRIPT = "t-r6408";

/** A script whose run waits for a run below it and leaves another one to the background. */
export const TREE_SCRIPT = "tree-r1177";

/** A workflow run whose agents call tools. */
export const FLOW_RUN = "flow0-0-r1";
const FLOW_THREAD = "flow0-0";

/**
 * A round in miniature, in this process and in memory: one thread, one run with an approval or with runs below it, one patch, everything as
 * it should be.
 */
export async function recordHistory(script: string = SCRIPT): Promise<History> {
  const ledger: LedgerEntry[] = [];
  const log = new WitnessLog();
  const write = async (line: LedgerLine): Promise<void> => {
    ledger.push({ ...line, number: ledger.length + 1, at: Date.now() });
  };
  const env = createNodeEnv();
  const store = createMemoryStore({ clock: env.clock });
  const point = (): void => {};
  const claims = watchClaims(store, async () => {});
  const { epochOf } = claims;
  const effects: Pick<ChaosToolsOptions, "point" | "trueNow" | "takeEffect"> = {
    point,
    trueNow: Date.now,
    takeEffect: (line) => write({ ...line, epoch: epochOf(line.thread_id), worker: "w", incarnation: 1 }),
  };
  const model = createChaosModel({
    point,
    record: (line) => write({ ...line, epoch: epochOf(threadOf(script)), worker: "w", incarnation: 1 }),
  });
  const agent = defineAgent({
    id: "chaos",
    model,
    tools: [...createChaosTools({ ...effects, kindOf: (_name, kind) => kind }), ...createTreeTools()],
    allowedAgents: ["chaos"],
  });
  const runtime = await createRuntime({
    agents: [agent, defineWorkflow(FLOW_DOCUMENT)],
    programs: [
      workflows({ sandbox: createExpressionSandbox({ clock: env.clock, yield: env.yield, timeoutMs: EXPRESSION_MS }) }),
    ],
    providers: [{ id: FLOW_PROVIDER, model: () => model }],
    tools: createFlowTools({ ...effects, epochOf }),
    store: claims.store,
    env,
    blobs: createMemoryBlobStore(env),
  });
  await talk(runtime, log, script);
  const verifications = [{ run_id: script, result: await runtime.replay(script) }];
  await runtime.close();
  return gather(store, log, ledger, verifications);
}

function threadOf(script: string): string {
  return script === FLOW_RUN ? FLOW_THREAD : "t";
}

async function talk(runtime: Runtime, log: WitnessLog, script: string): Promise<void> {
  const isFlow = script === FLOW_RUN;
  const thread_id = threadOf(script);
  const request: RunRequest = {
    agent_id: isFlow ? FLOW_AGENT : "chaos",
    thread_id,
    run_id: script,
    messages: [{ id: `said-${script}`, role: "user", content: isFlow ? script : scriptMessage(script) }],
    busy_policy: "enqueue",
  };
  let number = 0;
  const witness = async (ask: WorkerAsk, answer: () => Promise<unknown>): Promise<void> => {
    number += 1;
    log.note({ type: "asked", request: number, worker: "w", ask });
    // Answers of the runtime are JSON; their interfaces hide it.
    log.note({ type: "answered", request: number, answer: (await answer()) as never });
  };
  await witness({ op: "start", request }, async () => ({ run_id: (await runtime.submit(request)).id, thread_id }));
  const run = await runtime.run(script);
  for (;;) {
    const outcome = await run.outcome();
    if (outcome.status !== "waiting") break;
    for (const { id, suspension } of outcome.open) {
      const decision_id = `${id}#${suspension}#a`;
      const verb = { action: "approve" } as const;
      const decide = () => runtime.decisions.decide(id, verb, { decisionId: decision_id });
      await witness({ op: "decide", target: id, verb, decision_id }, decide);
    }
    // A workflow that sleeps continues by itself.
    if (outcome.open.length === 0) await pauseFor(5);
  }
  // Runs in the background, and what they tell the thread.
  while ((await runtime.runs({ status: "running" })).items.length > 0) await pauseFor(1);
  log.note({ type: "stream_opened", stream: 1, run_id: script });
  for await (const { event, cursor } of run.eventsWithCursor()) log.note({ type: "event", stream: 1, event, cursor });
  const change = [ops.set(["outside"], 1)];
  await witness({ op: "patch", thread_id, ops: change }, () => runtime.threads.patch(thread_id, { ops: change }));
}

async function gather(
  store: Store,
  log: WitnessLog,
  ledger: readonly LedgerEntry[],
  verifications: History["verifications"],
): Promise<History> {
  const isEffect = (line: LedgerEntry): line is LedgerEntry<EffectLine> => line.kind === "effect";
  const isModel = (line: LedgerEntry): line is LedgerEntry<ModelLine> => line.kind === "model";
  const records = log.records.filter(({ type }) => type === "stream_opened" || type === "event");
  return {
    threads: await readThreads(store, log.records),
    effects: ledger.filter(isEffect),
    models: ledger.filter(isModel),
    losses: [],
    claims: [{ kind: "claim", thread_id: "t", epoch: 1, worker: "w", incarnation: 1, number: 0, at: 0 }],
    arrivals: [],
    witness: log.records,
    replays: verifications.map(({ run_id }) => ({ run_id, after: undefined, records })),
    verifications,
    unfinished: [],
  };
}
