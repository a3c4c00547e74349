import {
  type BusyPolicy,
  invalidRequest,
  type NewEntry,
  RepriseError,
  type RunRequest,
  type Submitted,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { type BudgetOptions, withBudget } from "../budget/find-budget.ts";
import type { Dispatcher } from "../dispatcher/dispatcher.ts";
import { takeIn } from "../dispatcher/start-entry.ts";
import { copyJson } from "../json/copy-json.ts";
import { composeStart } from "../loop/compose-start.ts";
import type { Services } from "../loop/services.ts";
import type { AgentSource } from "../resolve/agents.ts";
import { lookUpEntry } from "../resolve/look-up-agent.ts";
import { runIdOfCall } from "../thread/derived-ids.ts";
import { findRestore } from "../thread/find-restore.ts";
import { demoteSystem } from "./demote-system.ts";
import { assertRequest } from "./read-request.ts";

/** A request that was checked and given its ids, and can be executed. */
export interface PreparedRun {
  readonly tenant: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly entry: NewEntry;
}

/** Checks a request and gives it its ids. Stores nothing. */
export function prepareRun({ env, agents }: Services, tenant: string, untrusted: RunRequest): PreparedRun {
  assertRequest(untrusted);
  // A copy, because the client may go on writing to its own. It is JSON, which its interface hides from the compiler.
  const own = copyJson(untrusted as unknown as Json) as unknown as RunRequest;
  const request = withParent({ ...own, messages: own.messages.map(demoteSystem) });
  agents.assertKnown(request.agent_id);
  assertUnowned(agents, request);
  assertMayOverride(agents, request);
  const run_id = request.run_id ?? env.ids.uuid();
  const thread_id = request.thread_id ?? env.ids.uuid();
  // Ids inside a run are made from its own id: a client must not take them first.
  const guessed = request.messages.find(({ id }) => id?.startsWith(`${run_id}-`));
  if (guessed !== undefined) throw invalidRequest(`The message id ${JSON.stringify(guessed.id)} is the run's own.`);
  const policy = request.busy_policy ?? (request.restore === undefined ? "continue" : "interrupt");
  const entry: NewEntry = {
    entry_id: `${run_id}-entry`,
    thread_id,
    run_id,
    request: { ...request, thread_id, run_id },
    busy_policy: policy,
    // What takes the place of an open run goes first: nothing may come between the two.
    priority: INTERRUPTING.includes(policy) ? Number.MAX_SAFE_INTEGER : (request.priority ?? 0),
    ...(request.dedupe_key !== undefined && { dedupe_key: request.dedupe_key }),
    ...(request.sender_id !== undefined && { sender_id: request.sender_id }),
  };
  return { tenant, run_id, thread_id, entry };
}

/** A call belongs to one run, and that is the run above. */
function withParent(request: RunRequest): RunRequest {
  const { parent_call_id } = request;
  if (parent_call_id === undefined) return request;
  const parent_run_id = runIdOfCall(parent_call_id);
  if (parent_run_id === undefined)
    throw invalidRequest(`parent_call_id ${JSON.stringify(parent_call_id)} is not the id of a tool call.`);
  if (request.parent_run_id !== undefined && request.parent_run_id !== parent_run_id) {
    throw invalidRequest(`The tool call ${parent_call_id} is not one of run ${request.parent_run_id}.`);
  }
  return { ...request, parent_run_id };
}

const INTERRUPTING: readonly BusyPolicy[] = ["interrupt", "rollback"];
const ATTEMPTS = 5;

/**
 * Puts a prepared run into its thread's mailbox. On an idle thread its first commit, the claim and the entry are one
 * transaction, and work begins here; otherwise whoever has room takes it when its turn comes.
 */
export async function executePrepared(
  services: Services,
  dispatcher: Dispatcher,
  prepared: PreparedRun,
  options: BudgetOptions = {},
): Promise<Submitted> {
  const { tenant } = prepared;
  const store = services.store.forTenant(tenant);
  const request = await withBudget(services, tenant, prepared.entry.request, options);
  const entry = { ...prepared.entry, request };
  if (request.restore !== undefined) {
    // Refused now, when somebody hears it. What there is to go back to is looked at again when the run begins.
    await findRestore(store, prepared.thread_id, request.restore);
    return store.submit(entry);
  }
  const releaseSlot = dispatcher.reserve();
  try {
    const claimed =
      releaseSlot === undefined ? undefined : await submitClaiming(services, dispatcher, { ...prepared, entry });
    return claimed ?? (await store.submit(entry));
  } finally {
    releaseSlot?.();
  }
}

/** Tries to start the run at once; undefined when the thread keeps changing under us. */
async function submitClaiming(
  services: Services,
  dispatcher: Dispatcher,
  { tenant, entry, thread_id, run_id }: PreparedRun,
): Promise<Submitted | undefined> {
  const store = services.store.forTenant(tenant);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const thread = await services.threads.load(store, tenant, thread_id);
    const { request } = entry;
    const changeset = composeStart({
      request,
      run_id,
      entry_id: entry.entry_id,
      thread,
      now: services.time.now(),
    });
    const expected = thread.version;
    try {
      const { env, owner, limits } = services;
      const askedAt = env.clock.mono();
      const submitted = await store.submit(entry, { owner, lease_ms: limits.leaseMs, changeset, expected });
      if (submitted.status === "claimed") {
        const { claim, version } = submitted;
        services.time.hear(claim, limits.leaseMs);
        dispatcher.adopt(claim, takeIn(services, thread, changeset, version, claim), askedAt);
      }
      return submitted;
    } catch (error) {
      // Somebody wrote to the thread between our look and our write: look again.
      if (!RepriseError.is(error, "VERSION_CONFLICT")) throw error;
    }
  }
  return undefined;
}

/** A client chooses only where the operator lets it, and only a model there is. */
function assertMayOverride(agents: AgentSource, { agent_id, overrides }: RunRequest): void {
  if (overrides === undefined) return;
  const { spec } = lookUpEntry(agents.registries, agent_id);
  if (!spec.client_overrides) {
    throw invalidRequest(
      `Agent ${agent_id} takes no model, prompt or config from clients. Set client_overrides on the agent to allow it.`,
    );
  }
  if (overrides.model !== undefined) agents.model(agent_id, overrides.model);
}

/** A client writes the application's state, never what belongs to a plugin of the agent. */
function assertUnowned(agents: AgentSource, { agent_id, state = {} }: RunRequest): void {
  const plan = Object.keys(state).length === 0 ? undefined : agents.plan(agent_id);
  if (plan?.kind !== "local") return;
  const owned = plan.agent.installed.states.list().find(({ path }) => typeof path[0] === "string" && path[0] in state);
  if (owned !== undefined) throw invalidRequest(`The state ${JSON.stringify(owned.name)} belongs to a plugin.`);
}
