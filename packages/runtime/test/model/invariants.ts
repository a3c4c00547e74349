import {
  type AgentEvent,
  type Changeset,
  MAX_ATTEMPTS,
  type MailboxEntry,
  type Message,
  type RunRecord,
  type ToolCallRecord,
} from "@reprise/contracts";
import { applyPatches, deepEqual, getAt, type Json, TOOL_CALL_SCOPE } from "@reprise/state";
import { isQuiet } from "./drain.ts";
import type { Driver } from "./drive.ts";
import { findBrokenRound } from "./find-broken-round.ts";
import { decisionsNeeded, judge } from "./guard.ts";
import { findLedgerProblems } from "./ledger.ts";
import { listEveryCall } from "./list-calls.ts";
import type { Reader } from "./reader.ts";
import { isRepeatable, mustBeApproved, readsDecisions, type ToolId, type ToolInput } from "./tools.ts";
import type { Execution, World } from "./world.ts";

export type StoredChangeset = Changeset & { readonly version: number };

/** Everything that is not as it must be after a history came to its end. Empty when all is well. */
export async function findProblems(driver: Driver): Promise<readonly string[]> {
  const { world } = driver;
  const problems = [...world.problems];
  if (!(await isQuiet(world.tenant))) problems.push(`the world did not come to rest: ${await describeRest(world)}`);
  for (const { instance, what, isAnswered } of driver.asked) {
    if (!isAnswered && instance.process.status === "alive")
      problems.push(`${instance.process.name} never answered: ${what}`);
  }
  const { items: runs } = await world.tenant.listRuns({ limit: 200 });
  const calls = await listEveryCall(world.tenant);
  problems.push(...(await findLostRuns(driver, runs)));
  for (const run of runs) problems.push(...(await findJournalProblems(driver, run, calls)));
  for (const { thread_id } of (await world.tenant.listThreads()).items) {
    problems.push(...(await findThreadProblems(driver, thread_id)));
  }
  for (const call of calls) {
    problems.push(...(await findEffectProblems(driver, call)), ...(await findExpiryProblems(driver, call)));
  }
  for (const reader of driver.readers) problems.push(...(await findReaderProblems(driver, reader)));
  return [...new Set(problems)];
}

/** Only as many refusals of the store and deaths of owners as a start is tried make a dead letter. */
function isGivenUp({ scenario }: Driver, entry: MailboxEntry | undefined): boolean {
  const losses = scenario.commands.map((command) =>
    command.do === "flaky" ? command.count : command.do === "curse" ? command.deaths : 0,
  );
  const isTriedOften = losses.reduce((sum, count) => sum + count, 0) >= MAX_ATTEMPTS;
  return isTriedOften && entry?.status === "dead_letter" && entry.attempts >= MAX_ATTEMPTS;
}

/** What was taken from the queue before anybody took it in is not part of its thread. */
async function findGhosts({ world }: Driver, entries: readonly MailboxEntry[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const { run_id, thread_id, status, into_run, kind } of entries) {
    const isWithdrawn = (status === "cancelled" || status === "superseded") && into_run === undefined;
    if (kind !== "run" || !isWithdrawn) continue;
    const changesets = await readAllChangesets(world, thread_id);
    const isSaid = changesets.some(({ messages }) =>
      messages.some(({ content }) => content === `${thread_id} ${run_id}`),
    );
    if (isSaid) problems.push(`what ${run_id} said is in the thread though its entry is ${status}`);
  }
  return problems;
}

/** What is still queued or claimed. */
async function describeRest({ tenant }: World): Promise<string> {
  const { items } = await tenant.listEntries({ limit: 200 });
  const open = items.filter(({ status }) => status === "queued" || status === "claimed");
  return open.map(({ entry_id, status, attempts }) => `${entry_id} ${status} (${attempts} attempts)`).join(", ");
}

/** What was answered for is never lost: it ran to an end, or was taken from the queue by somebody who may. */
async function findLostRuns(driver: Driver, runs: readonly RunRecord[]): Promise<readonly string[]> {
  const problems: string[] = [];
  const { items: entries } = await driver.world.tenant.listEntries({ limit: 200 });
  for (const runId of driver.accepted.keys()) {
    if (runs.some(({ run_id }) => run_id === runId)) continue;
    const entry = entries.find(({ run_id, kind }) => run_id === runId && kind === "run");
    if (entry?.into_run !== undefined) problems.push(...(await findSteeringProblems(driver, entry)));
    else if (entry?.status !== "superseded" && entry?.status !== "cancelled" && !isGivenUp(driver, entry))
      problems.push(`run ${runId} is lost: ${entry?.status}`);
  }
  problems.push(...(await findGhosts(driver, entries)));
  return problems;
}

/** What was said to a run at work is part of its thread, once, by the commit that settled the entry. */
async function findSteeringProblems(
  { world }: Driver,
  { run_id, thread_id, entry_id, into_run }: MailboxEntry,
): Promise<readonly string[]> {
  if ((await world.tenant.loadRun(into_run ?? "")) === undefined) return [`run ${run_id} steered nobody`];
  const said = `${thread_id} ${run_id}`;
  const changesets = await readAllChangesets(world, thread_id);
  const saying = changesets.filter(({ messages }) => messages.some(({ content }) => content === said));
  const isSettled = saying[0]?.mailbox_effects.some((effect) => effect.entry_id === entry_id) === true;
  return saying.length === 1 && isSettled
    ? []
    : [`what ${run_id} said to ${into_run} was taken ${saying.length} times`];
}

async function findJournalProblems(
  driver: Driver,
  run: RunRecord,
  calls: readonly ToolCallRecord[],
): Promise<readonly string[]> {
  const events = await driver.journal(run.run_id);
  const problems = [...findOrderProblems(run, events), ...findEndProblems(driver, run, events)];
  for (const call of calls.filter(({ run_id }) => run_id === run.run_id)) {
    const done = events.flatMap((event) =>
      event.type === "tool_call_done" && event.data.id === call.call_id ? [event.data] : [],
    );
    const ends = done.filter(({ outcome }) => outcome !== "suspended").map(({ outcome }) => outcome);
    if (ends.join() !== call.status) problems.push(`call ${call.call_id} is ${call.status} and its ends are ${ends}`);
    if (done.length - ends.length !== call.suspension)
      problems.push(`call ${call.call_id} was not suspended ${call.suspension} times`);
  }
  return problems;
}

function findOrderProblems({ run_id, last_seq }: RunRecord, events: readonly AgentEvent[]): readonly string[] {
  const problems: string[] = [];
  if (events.some(({ seq }, index) => seq !== index + 1) || events.length !== last_seq)
    problems.push(`run ${run_id} has gaps`);
  if (events[0]?.type !== "run_start") problems.push(`run ${run_id} does not begin with run_start`);
  return problems;
}

/** Ends that need a reason outside the run. */
function findEndProblems(driver: Driver, run: RunRecord, events: readonly AgentEvent[]): readonly string[] {
  const { run_id, thread_id, status, termination_code: code, termination_detail: detail } = run;
  const ends = events.flatMap((event) => (event.type === "run_finish" ? [event.data.termination.type] : []));
  const terminal = ends.filter((end) => end !== "suspended");
  const problems: string[] = [];
  if (status !== "done") problems.push(`run ${run_id} is ${status}`);
  if (terminal.length !== 1 || events.at(-1)?.type !== "run_finish")
    problems.push(`run ${run_id} ended ${terminal.length} times`);
  const policies = driver.requests
    .filter((request) => request.thread_id === thread_id)
    .map(({ busy_policy }) => busy_policy);
  const mayCancel = driver.cancelled.has(run_id) || policies.includes("interrupt") || policies.includes("rollback");
  if (code === "cancelled" && !mayCancel) problems.push(`run ${run_id} was cancelled by nobody`);
  if (code === "stopped:superseded" && !policies.includes("continue"))
    problems.push(`run ${run_id} was superseded by nobody`);
  if (code === "error" && detail?.includes("The script says") !== true)
    problems.push(`run ${run_id} failed: ${detail}`);
  return problems;
}

async function readAllChangesets({ tenant }: World, threadId: string): Promise<readonly StoredChangeset[]> {
  const changesets: StoredChangeset[] = [];
  for (let page = await tenant.readChangesets(threadId, 0, 200); page.length > 0; ) {
    changesets.push(...page);
    page = await tenant.readChangesets(threadId, changesets.length, 200);
  }
  return changesets;
}

async function findThreadProblems({ world, scenario }: Driver, threadId: string): Promise<readonly string[]> {
  const problems: string[] = [];
  const changesets = await readAllChangesets(world, threadId);
  const head = await world.tenant.loadThread(threadId);
  if (changesets.some(({ version }, index) => version !== index + 1) || head?.thread.version !== changesets.length) {
    problems.push(`thread ${threadId} has gaps in its versions`);
  }
  const fresh = world.instances.at(-1);
  const state = await fresh?.runtime.threads.state(threadId);
  const folded: Json = changesets.reduce((document: Json, { patches }) => applyPatches(document, patches), {});
  if (!deepEqual(state ?? null, folded)) problems.push(`thread ${threadId} is not the fold of its patches`);
  if (Object.keys((getAt(folded, [TOOL_CALL_SCOPE]) ?? {}) as object).length > 0)
    problems.push(`thread ${threadId} keeps state of calls`);
  const { messages } = await world.tenant.readMessages(threadId, 0);
  // Where the model continues, a result may come after later answers.
  const broken = scenario.agent.partial === "wait" ? findBrokenRound(messages, "thread") : findLoose(messages);
  if (broken !== undefined) problems.push(`thread ${threadId} has ${broken} in ${messages.map(({ id }) => id)}`);
  problems.push(...changesets.flatMap(findConsumptionProblems));
  problems.push(...(await findLedgerProblems(world, threadId, changesets)));
  return problems;
}

/** A call without its one result, or a result before its call. */
function findLoose(messages: readonly Message[]): string | undefined {
  const asked = messages.flatMap(({ tool_calls = [] }, index) => tool_calls.map(({ id }) => ({ id, index })));
  const results = messages.flatMap(({ tool_call_id: id }, index) => (id === undefined ? [] : [{ id, index }]));
  for (const call of asked) {
    const own = results.filter(({ id }) => id === call.id);
    if (own.length !== 1 || (own[0]?.index ?? 0) < call.index) return `${own.length} results of ${call.id}`;
  }
  return results.length === asked.length ? undefined : "results of nobody's calls";
}

/** The commit that moves a call on consumes the decision that did. */
function findConsumptionProblems({ events, consumed_decisions }: StoredChangeset): readonly string[] {
  const moved = events.flatMap((event) => (event.type === "tool_call_resumed" ? [event.data.target_id] : []));
  const consumed = consumed_decisions.map(({ call_id }) => call_id);
  return moved.join() === consumed.join()
    ? []
    : [`decisions on ${moved} moved calls, those on ${consumed} were consumed`];
}

/** An effect that may not be repeated happens once, or as often as somebody allowed it. */
async function findEffectProblems({ world, scenario }: Driver, call: ToolCallRecord): Promise<readonly string[]> {
  const { call_id, run_id, suspension } = call;
  const tool = call.tool_id as ToolId;
  const executions = world.executions.filter(({ callId }) => callId === call_id);
  const problems = executions
    .filter(({ key }) => key !== call_id)
    .map(({ key }) => `call ${call_id} ran with the key ${key}`);
  let allowed = 0;
  for (let number = 1; number <= suspension; number += 1) {
    const decision = await world.tenant.loadDecision(run_id, call_id, number);
    // A result is used instead of the tool, except by one that asked for the decision itself: it is given to that one.
    const isRun = decision?.result === undefined || readsDecisions(tool);
    if (decision?.action === "resume" && isRun) allowed += 1;
  }
  const original = await originalInput(world, call);
  const judgement = scenario.agent.isGuarded ? judge(scenario.seed, call_id) : "pass";
  if ((judgement === "block" || judgement === "answer") && executions.length > 0)
    problems.push(`call ${call_id} of ${tool} ran though the guard said ${judgement}`);
  const needed = Math.max(decisionsNeeded(judgement), mustBeApproved(tool, original.label) ? 1 : 0);
  if (allowed < needed && executions.length > 0) problems.push(`call ${call_id} of ${tool} ran unapproved`);
  const limit = Math.max(allowed + 1 - needed, 0);
  if (!isRepeatable(tool) && executions.length > limit) {
    problems.push(`call ${call_id} of ${tool} ran ${describe(executions)}, allowed ${limit} times`);
  }
  return problems;
}

/** A question is decided in time or runs out, not before its time; and what is over asks nothing more. */
async function findExpiryProblems(driver: Driver, call: ToolCallRecord): Promise<readonly string[]> {
  const { call_id, run_id } = call;
  const problems = "ticket" in call || "expires_at" in call ? [`call ${call_id} is ${call.status} and still asks`] : [];
  let expiry: { readonly at: number; readonly suspension: number } | undefined;
  for (const event of await driver.journal(run_id)) {
    if (event.type === "tool_call_resumed" && event.data.target_id === call_id && expiry !== undefined) {
      const decision = await driver.world.tenant.loadDecision(run_id, call_id, expiry.suspension);
      if ((decision?.updated_at ?? Number.POSITIVE_INFINITY) >= expiry.at)
        problems.push(`call ${call_id} was decided after its time`);
    }
    if (event.type !== "tool_call_done" || event.data.id !== call_id) continue;
    const { suspended, result } = event.data;
    const isExpired = getAt(result.data, ["error", "code"]) === "expired";
    if (isExpired && (expiry === undefined || (event.timestamp_ms ?? 0) < expiry.at))
      problems.push(`call ${call_id} ran out before its time`);
    expiry =
      suspended?.expires_at === undefined ? undefined : { at: suspended.expires_at, suspension: suspended.suspension };
  }
  return problems;
}

/** The arguments as the model wrote them; a decision may have changed the row's. */
async function originalInput(world: World, call: ToolCallRecord): Promise<ToolInput> {
  const events = (await world.tenant.readEvents(call.run_id, 0)).flatMap((segment) => segment.events);
  const ready = events.findLast((event) => event.type === "tool_call_ready" && event.data.id === call.call_id);
  // The scripts always write both.
  return (ready?.type === "tool_call_ready" ? ready.data.arguments : call.arguments) as unknown as ToolInput;
}

function describe(executions: readonly Execution[]): string {
  return `${executions.length} times (${executions.map(({ process }) => process)})`;
}

/** In the end a reader has what is committed, however often it changed places; what was committed was never taken back. */
async function findReaderProblems(driver: Driver, reader: Reader): Promise<readonly string[]> {
  const { runId, seen, withdrawn, problems } = reader;
  if (reader.process === undefined) return problems;
  const name = `the reader of ${runId} on ${reader.process.name}`;
  const segments = await driver.world.tenant.readEvents(await driver.hostOf(runId), 0);
  const stored = segments.flatMap(({ epoch, events }) => events.map((event) => ({ epoch, event })));
  const found = problems.map((problem) => `${name}: ${problem}`);
  const [told, kept] = [seen, stored].map((list) => list.map(({ event }) => `${event.seq} ${JSON.stringify(event)}`));
  const first = kept?.findIndex((line, index) => line !== told?.[index]) ?? -1;
  if (first >= 0 || told?.length !== kept?.length)
    found.push(`${name} has ${told?.[first]} for ${kept?.[first]}, ${told?.length} of ${kept?.length}`);
  for (const { epoch, event } of withdrawn) {
    const same = stored.find((item) => item.epoch === epoch && JSON.stringify(item.event) === JSON.stringify(event));
    if (same !== undefined) found.push(`${name} was told to forget the committed event ${event.seq}`);
  }
  return found;
}
