import type { Json } from "@reprise/state";
import type { AskOf } from "../wire/worker-messages.ts";
import type { Asked } from "../witness/transport.ts";
import { bindingOf, TENANT } from "../workload/tool-binding.ts";
import type { ServedWorker } from "./serve-clients.ts";

const PAGE = 100;

/** Does what a client asks for. What it answers with has happened durably. */
export async function answerAsk(served: ServedWorker, ask: Asked): Promise<Json> {
  const { runtime } = served;
  switch (ask.op) {
    case "start":
      return start(served, ask);
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
    case "open_tree":
      return openTree(served, ask);
    case "done_runs":
      return asJson(await runtime.runs({ status: "done", offset: ask.offset, limit: PAGE }));
    case "verify":
      return asJson(await runtime.replay(ask.run_id, { mode: "verify" }));
    case "export":
      return asJson(await runtime.exportRun(ask.run_id));
    case "call_tool":
      throw new Error("Calls by hand are made over HTTP: only there is their key remembered.");
    default:
      return ask satisfies never;
  }
}

async function start({ runtime }: ServedWorker, { request, idempotency_key }: AskOf<"start">): Promise<Json> {
  const key = idempotency_key === undefined ? {} : { dedupe_key: idempotency_key };
  const { id, threadId } = await runtime.submit({ ...request, ...key });
  return { run_id: id, thread_id: threadId };
}

async function decide({ runtime }: ServedWorker, { target, verb, decision_id, suspension, early }: AskOf<"decide">) {
  const options = { decisionId: decision_id, ...(suspension !== undefined && { suspension }) };
  if (early === undefined) return runtime.decisions.decide(target, verb, options);
  const about = { runId: early.run_id, bindingHash: bindingOf(early, early.tool) };
  return runtime.decisions.decide(target, verb, { ...options, ...about });
}

/** A run as its row and its mailbox entry show it. */
async function runState({ store }: ServedWorker, { run_id, thread_id }: AskOf<"run_state">): Promise<Json> {
  const tenant = store.forTenant(TENANT);
  const [run, entries] = await Promise.all([tenant.loadRun(run_id), tenant.listEntries({ thread_id, run_id })]);
  const entry = entries.items.find(({ kind }) => kind === "run");
  return asJson({ run: run ?? null, entry: entry ?? null });
}

/** What is open of the trees whose runs at the top are on a thread: runs, requests and questions. */
async function openTree({ runtime, store }: ServedWorker, { thread_id }: AskOf<"open_tree">): Promise<Json> {
  const tenant = store.forTenant(TENANT);
  const [running, waiting, queued, claimed, decisions] = await Promise.all([
    tenant.listRuns({ status: "running", limit: 200 }),
    tenant.listRuns({ status: "waiting", limit: 200 }),
    tenant.listEntries({ status: "queued", limit: 200 }),
    tenant.listEntries({ status: "claimed", limit: 200 }),
    runtime.decisions.list(),
  ]);
  const own = new Set<string>();
  const requests = [...queued.items, ...claimed.items].map(({ run_id, thread_id: on, request }) => {
    return { run_id, thread_id: on, root_run_id: request?.root_run_id };
  });
  for (const { run_id, thread_id: on, root_run_id } of [...running.items, ...waiting.items, ...requests]) {
    const root = root_run_id === undefined ? undefined : await tenant.loadRun(root_run_id);
    if ((root?.thread_id ?? on) === thread_id) own.add(run_id);
  }
  return asJson({ open: [...own], decisions: decisions.filter(({ run_id }) => own.has(run_id)) });
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
