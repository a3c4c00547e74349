import {
  type CallQuery,
  clampLimit,
  continuesByItself,
  type Decision,
  type DecisionInput,
  type DecisionVerb,
  derivedDecisionId,
  findRememberProblem,
  invalidRequest,
  MAX_LIMIT,
  notFound,
  type OffsetQuery,
  type Page,
  RepriseError,
  readRemember,
  type TenantStore,
  type ToolCallRecord,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import type { Services } from "../loop/services.ts";
import { bindingHash } from "../resolve/tool-version.ts";
import { NO_PERSON } from "../thread/ask-about.ts";
import { listAllCalls } from "../thread/calls.ts";
import { readCallName } from "../thread/derived-ids.ts";
import { assertAsksPerson, assertBinding, assertDecidedValue } from "./assert-decision.ts";
import { assertEdit } from "./assert-edit.ts";
import { findEarlierDecision } from "./earlier-decision.ts";
import { findCall } from "./find-call.ts";
import { forwardDecisions } from "./forward-decisions.ts";
import { type OpenDecision, toOpenDecision } from "./open-decision.ts";

export interface DecideOptions {
  /** Sending a decision again under its id is deciding once, also when the call was asked about again meanwhile. */
  readonly decisionId?: string;
  /** Which suspension of the call is answered; refused when it is another one by now. The present one unless given. */
  readonly suspension?: number;
  /** Refuses to decide about anything but this. Lets a decision come before its suspension. */
  readonly bindingHash?: string;
  /** The run of the call, where its id does not tell. */
  readonly runId?: string;
  /** The person or client that decides. Stored with the decision, and named to rivals. */
  readonly decidedBy?: string;
}

/** Selects open questions: all, or those of one thread or one run. */
export interface DecisionQuery {
  readonly threadId?: string;
  readonly runId?: string;
}

/** Answers to suspended calls. */
export interface Decisions {
  /** All that waits, oldest first. */
  list(query?: DecisionQuery): Promise<readonly OpenDecision[]>;
  /** The same a page at a time. */
  page(query?: DecisionQuery & OffsetQuery): Promise<Page<OpenDecision>>;
  /**
   * Stores a decision; durable when it resolves. The target is a call's id, its suspension's or its pending call's. The
   * first one for a suspension wins, a rival gets `DECISION_CONFLICT` with it. The same one again gets the same answer, also when
   * the call has used it.
   */
  decide(target: string, verb: DecisionVerb, options?: DecideOptions): Promise<Decision>;
  /** The same for decisions of one run in a client's words. All are checked before the first is stored. */
  forward(runId: string, inputs: readonly DecisionInput[], options?: Pick<DecideOptions, "decidedBy">): Promise<void>;
}

export function createDecisions(services: Services, tenant: string): Decisions {
  const store = services.store.forTenant(tenant);
  return {
    async list(query = {}) {
      return (await listAllCalls(store, suspended(query)))
        .filter((call) => !continuesByItself(call))
        .map(toOpenDecision);
    },

    async page({ offset, limit, ...query } = {}) {
      const range = { ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) };
      const waiting = await store.listCalls({ ...suspended(query), pending_id: NO_PERSON, limit: 1 });
      if (waiting.total > 0) return pageOfAsked(store, suspended(query), waiting.total, { offset, limit });
      const page = await store.listCalls({ ...suspended(query), ...range });
      return { ...page, items: page.items.filter((call) => !continuesByItself(call)).map(toOpenDecision) };
    },

    async decide(target, verb, options = {}) {
      const found = await findCall(store, target, options.runId);
      const call = found?.call;
      const named = readCallName(target);
      const callId = call?.call_id ?? named?.call_id ?? target;
      const runId = call?.run_id ?? options.runId ?? named?.run_id;
      if (runId === undefined) throw notFound("CALL_NOT_FOUND", "tool call", target);
      // A call that is not known yet may be decided early by who can say exactly what about.
      if (call === undefined && options.bindingHash === undefined) throw await whyUnknown(store, runId, target);
      const now = services.time.now();
      // One that comes early is for the first suspension; one that comes again is for the one it was for before.
      const suspension = Math.max(call?.suspension ?? 0, 1);
      const decision: Decision = {
        decision_id: options.decisionId ?? derivedDecisionId(callId, suspension),
        run_id: runId,
        call_id: callId,
        suspension,
        ...lower(verb),
        ...(options.bindingHash !== undefined && { binding_hash: options.bindingHash }),
        ...(options.decidedBy !== undefined && { decided_by: options.decidedBy }),
        updated_at: now,
      };
      if (call !== undefined) {
        assertAsksPerson(call);
        const answered = {
          decisionId: options.decisionId,
          suspension: options.suspension ?? found?.suspension,
        };
        const earlier = await findEarlierDecision(store, call, answered, [decision]);
        if (earlier !== undefined) return earlier;
        assertBinding(call, options.bindingHash, bindingHash(services.env, tenant, call));
        await assertEdit(services, tenant, call, decision);
      }
      return store.decide(decision, { early: options.bindingHash !== undefined });
    },

    async forward(runId, inputs, options = {}) {
      const run = await store.loadRun(runId);
      if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
      await forwardDecisions(services, tenant, { threadId: run.thread_id, runId, ...options }, inputs);
    },
  };
}

/** A page of the calls that a person is asked about, where others wait beside them for something else. */
async function pageOfAsked(
  store: TenantStore,
  query: CallQuery,
  others: number,
  range: { readonly offset: number | undefined; readonly limit: number | undefined },
): Promise<Page<OpenDecision>> {
  const end = (range.offset ?? 0) + clampLimit(range.limit);
  const asked: ToolCallRecord[] = [];
  let total = 0;
  for (let offset = 0; asked.length < end; offset += MAX_LIMIT) {
    const page = await store.listCalls({ ...query, offset, limit: MAX_LIMIT });
    total = Math.max(page.total - others, 0);
    asked.push(...page.items.filter((call) => !continuesByItself(call)));
    if (!page.has_more) break;
  }
  const items = asked.slice(range.offset ?? 0, end).map(toOpenDecision);
  return { items, total, has_more: (range.offset ?? 0) + items.length < total };
}

function suspended({ threadId, runId }: DecisionQuery): CallQuery {
  return {
    status: "suspended",
    ...(threadId !== undefined && { thread_id: threadId }),
    ...(runId !== undefined && { run_id: runId }),
  };
}

/** A call of a running run may be about to be asked for; of any other run it does not exist. */
async function whyUnknown(store: TenantStore, runId: string, callId: string): Promise<RepriseError> {
  const run = await store.loadRun(runId);
  if (run?.status !== "running") return notFound("CALL_NOT_FOUND", "tool call", callId);
  const message = `Tool call ${callId} does not wait for a decision. To decide in advance, send its binding hash.`;
  return new RepriseError("NOT_SUSPENDED", message, { details: { call_id: callId } });
}

/** Says a verb of people in the two words that are stored. */
function lower(verb: DecisionVerb): Pick<Decision, "action" | "arguments" | "result" | "reason" | "remember"> {
  if (typeof verb !== "object" || verb === null) throw invalidRequest("A decision is approve, deny, edit or supply.");
  const why = verb.reason === undefined ? {} : { reason: verb.reason.toWellFormed() };
  const reason = { ...why, ...rememberOf(verb) };
  switch (verb.action) {
    case "approve":
      return { action: "resume", ...reason };
    case "deny":
      return { action: "cancel", ...reason };
    case "edit":
      assertGiven("edit", "arguments", verb.arguments);
      return { action: "resume", arguments: copyJson(verb.arguments), ...reason };
    case "supply":
      assertGiven("supply", "result", verb.result);
      return { action: "resume", result: copyJson(verb.result), ...reason };
    default:
      verb satisfies never;
      throw invalidRequest("A decision is approve, deny, edit or supply.");
  }
}

/** A supplied result says nothing about later calls. */
function rememberOf(verb: DecisionVerb): Pick<Decision, "remember"> {
  // Also callers without types.
  const { action, remember: given }: { readonly action: string; readonly remember?: unknown } = verb;
  if (given === undefined) return {};
  const problem = action === "supply" ? "a supplied result cannot be remembered" : findRememberProblem(given);
  if (problem !== undefined) throw invalidRequest(`\`remember\` of a decision: ${problem}.`);
  const remember = readRemember(given);
  return remember === undefined ? {} : { remember };
}

/** Without what it is about, an edit or a supply would be an approval. */
function assertGiven(action: string, what: "arguments" | "result", value: Json | undefined): void {
  if (value === undefined) throw invalidRequest(`${JSON.stringify(action)} needs the ${what}.`);
  assertDecidedValue(what, value);
}
