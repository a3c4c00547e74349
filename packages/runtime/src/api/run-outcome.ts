import {
  continuesByItself,
  type EventOf,
  type RunRecord,
  type TenantStore,
  type Termination,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { awaitStart } from "../journal/await-start.ts";
import { isUnderWay } from "../journal/is-under-way.ts";
import { expectChange } from "../journal/thread-change.ts";
import type { Services } from "../loop/services.ts";
import { listAllCalls } from "../thread/calls.ts";
import { type OpenDecision, toOpenDecision } from "./open-decision.ts";

/** Where a run stands once it no longer runs. */
export type RunOutcome<Output = Json> =
  | {
      readonly status: "done";
      readonly run: RunRecord;
      readonly text: string;
      /** The answer as JSON, for an agent with an output schema whose run ended by itself. */
      readonly output?: Output;
      readonly termination: Termination;
    }
  | { readonly status: "waiting"; readonly run: RunRecord; readonly open: readonly OpenDecision[] }
  /** These two without a run when it was taken from the queue, or given up, before it began. */
  | { readonly status: "cancelled"; readonly run?: RunRecord }
  | { readonly status: "failed"; readonly run?: RunRecord; readonly error: string; readonly code?: string };

/** Waits until no worker has the run any more, here or elsewhere, and returns its outcome. */
export async function waitForOutcome(
  services: Services,
  tenant: string,
  wantedId: string,
  threadId: string,
): Promise<RunOutcome> {
  const store = services.store.forTenant(tenant);
  const runId = await awaitStart(services, tenant, threadId, wantedId);
  if (runId === undefined) return describeUnstarted(store, wantedId);
  for (;;) {
    const change = expectChange(services, tenant, threadId);
    try {
      const ending = services.bus.ending(tenant, runId);
      if (ending !== undefined) return describeEnd(ending.run, ending.finish);
      if (services.bus.isOwned(tenant, runId)) {
        // Its owner is here and will say how it ended; the change only keeps the process waiting.
        await services.bus.whenLeft(tenant, runId);
        continue;
      }
      const run = await store.loadRun(runId);
      if (run !== undefined && !(await isUnderWay(store, run))) return describeOutcome(services, tenant, run);
      services.stopped.assertNotStopped(tenant, runId);
      await change.wait();
    } finally {
      change.stop();
    }
  }
}

/** A run that never began: taken from the queue, or given up after too many attempts. */
async function describeUnstarted(store: TenantStore, runId: string): Promise<RunOutcome> {
  const { items } = await store.listEntries({ run_id: runId });
  const entry = items.find(({ kind }) => kind === "run");
  if (entry?.status !== "dead_letter") return { status: "cancelled" };
  return { status: "failed", error: `The run could not be started: ${entry.last_error ?? "its owners were lost"}` };
}

export async function describeOutcome(services: Services, tenant: string, run: RunRecord): Promise<RunOutcome> {
  const store = services.store.forTenant(tenant);
  if (run.status === "waiting") {
    const calls = await listAllCalls(store, { run_id: run.run_id, status: "suspended" });
    return { status: "waiting", run, open: calls.filter((call) => !continuesByItself(call)).map(toOpenDecision) };
  }
  // The end of a run as its stream tells it: the last event.
  const segments = await store.readEvents(run.run_id, run.last_seq - 1);
  const last = segments.at(-1)?.events.at(-1);
  return describeEnd(run, last?.type === "run_finish" ? last : undefined);
}

function describeEnd(run: RunRecord, finish: EventOf<"run_finish"> | undefined): RunOutcome {
  const { termination = MISSING, result = {} } = finish?.data ?? {};
  if (termination.type === "cancelled") return { status: "cancelled", run };
  if (termination.type === "error") {
    const { value: error, code } = termination;
    return { status: "failed", run, error, ...(code !== undefined && { code }) };
  }
  const { response, output } = result;
  const text = typeof response === "string" ? response : "";
  return { status: "done", run, text, ...(output !== undefined && { output }), termination };
}

const MISSING: Termination = { type: "error", value: "The end of the run is missing." };
