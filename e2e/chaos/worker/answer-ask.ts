import { createNodeEnv } from "@reprise/node";
import type { Json } from "@reprise/state";
import { bindingHash } from "../../../packages/runtime/src/tools/binding-hash.ts";
import type { AskOf, EarlyCall, WorkerAsk } from "../wire/worker-messages.ts";
import { TOOL_VERSION } from "../workload/chaos-tools.ts";
import type { ServedWorker } from "./serve-clients.ts";

const TENANT = "default";
const env = createNodeEnv();

/** Does what a client asks for. What it answers with has happened durably. */
export async function answerAsk(
  served: ServedWorker,
  ask: Exclude<WorkerAsk, { op: "subscribe" | "unsubscribe" }>,
): Promise<Json> {
  const { runtime } = served;
  switch (ask.op) {
    case "start": {
      const { id, threadId } = await runtime.submit(ask.request);
      return { run_id: id, thread_id: threadId };
    }
    case "decide":
      return asJson(await decide(served, ask));
    case "cancel":
      await (await runtime.run(ask.run_id)).cancel(ask.reason);
      return null;
    case "patch": {
      const expected = ask.expected === undefined ? {} : { expected: ask.expected };
      return await runtime.threads.patch(ask.thread_id, { ops: ask.ops }, expected);
    }
    case "open_decisions":
      return asJson(await runtime.decisions.list({ threadId: ask.thread_id }));
    case "run_state":
      return runState(served, ask);
    case "thread_version":
      return (await runtime.threads.get(ask.thread_id)).version;
    case "open_work":
      return openWork(served);
    default:
      return ask satisfies never;
  }
}

async function decide({ runtime }: ServedWorker, { target, verb, decision_id, suspension, early }: AskOf<"decide">) {
  const options = { decisionId: decision_id, ...(suspension !== undefined && { suspension }) };
  if (early === undefined) return runtime.decisions.decide(target, verb, options);
  return runtime.decisions.decide(target, verb, { ...options, runId: early.run_id, bindingHash: hashOf(early) });
}

/** What a decision about a call is bound to, as a client that saw the call in the stream would make it. */
function hashOf({ tool, ...call }: EarlyCall): string {
  return bindingHash(env, TENANT, { ...call, tool_id: tool, tool_version: TOOL_VERSION });
}

/** A run as its row and its mailbox entry show it. */
async function runState({ store }: ServedWorker, { run_id, thread_id }: AskOf<"run_state">): Promise<Json> {
  const tenant = store.forTenant(TENANT);
  const [run, entries] = await Promise.all([tenant.loadRun(run_id), tenant.listEntries({ thread_id, run_id })]);
  const entry = entries.items.find(({ kind }) => kind === "run");
  return asJson({ run: run ?? null, entry: entry ?? null });
}

/** What is not over yet. */
async function openWork({ store }: ServedWorker): Promise<Json> {
  const tenant = store.forTenant(TENANT);
  const [running, waiting, queued, claimed] = await Promise.all([
    tenant.listRuns({ status: "running", limit: 200 }),
    tenant.listRuns({ status: "waiting", limit: 200 }),
    tenant.listEntries({ status: "queued", limit: 200 }),
    tenant.listEntries({ status: "claimed", limit: 200 }),
  ]);
  return {
    running: running.items.map(({ run_id }) => run_id),
    waiting: waiting.items.map(({ run_id }) => run_id),
    queued: [...queued.items, ...claimed.items].map(({ entry_id }) => entry_id),
  };
}

/** Records of the contracts are JSON; their interfaces hide it from the compiler. */
function asJson(value: unknown): Json {
  return value as Json;
}
