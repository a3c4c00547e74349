import { MAX_LIMIT, notFound, RepriseError, type ToolCallRecord } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";
import { getAt } from "@reprise/state";

const EVENT = "event:";

/** The call that stands for a gate, by its id or by its node, also after it was answered. `CALL_NOT_FOUND` when there is none. */
export async function findGate(runtime: TenantRuntime, runId: string, name: string): Promise<ToolCallRecord> {
  const isMeant = (call: ToolCallRecord): boolean =>
    (call.call_id === name || keyOf(call) === name) && !actionOf(call).startsWith(EVENT);
  const [open] = (await listCalls(runtime, { runId, status: "suspended" })).filter(isMeant);
  if (open !== undefined) return open;
  // Inside of a loop a node may have asked before: the last answer is the one that counts.
  const answered = (await listCalls(runtime, { runId })).filter(isMeant).at(-1);
  if (answered === undefined) throw notFound("CALL_NOT_FOUND", "gate", name);
  return answered;
}

/** The calls of a run that wait for an event. `NOT_SUSPENDED` when none does. */
export async function findAwaiting(
  runtime: TenantRuntime,
  runId: string,
  event: string,
): Promise<readonly ToolCallRecord[]> {
  const open = await listCalls(runtime, { runId, status: "suspended" });
  const awaiting = open.filter((call) => actionOf(call) === `${EVENT}${event}`);
  if (awaiting.length > 0) return awaiting;
  const others = open.map(actionOf).filter((action) => action.startsWith(EVENT));
  const names = [...new Set(others.map((action) => action.slice(EVENT.length)))].slice(0, 10);
  const hint = names.length === 0 ? "It waits for no event" : `It waits for ${names.join(", ")}`;
  const message = `No node of run ${runId} waits for the event ${JSON.stringify(event)}. ${hint}.`;
  throw new RepriseError("NOT_SUSPENDED", message, { details: { run_id: runId, event } });
}

async function listCalls(
  runtime: TenantRuntime,
  filter: Parameters<TenantRuntime["calls"]>[0],
): Promise<readonly ToolCallRecord[]> {
  const found: ToolCallRecord[] = [];
  for (;;) {
    const page = await runtime.calls({ ...filter, offset: found.length, limit: MAX_LIMIT });
    found.push(...page.items);
    if (!page.has_more || page.items.length === 0) return found;
  }
}

function actionOf({ ticket }: ToolCallRecord): string {
  return ticket?.suspension.action ?? "";
}

/** The key that the program asked under: the node's path. */
function keyOf({ arguments: about }: ToolCallRecord): unknown {
  return getAt(about, ["key"]);
}
