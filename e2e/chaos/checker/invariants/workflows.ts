import { textOf } from "@reprise/contracts";
import { compilePlan, type PlanVertex } from "@reprise/workflow";
import { FLOW_AGENT, FLOW_DOCUMENT, readFlowScript } from "../../workload/flow-document.ts";
import { flowToolKind } from "../../workload/flow-tools.ts";
import { type FlowStory, tellFlow } from "../flow-story.ts";
import type { History, RunHistory, ThreadHistory, Violation } from "../history.ts";
import { isSameJson } from "../same-json.ts";

const { vertices: PLAN } = compilePlan(FLOW_DOCUMENT.workflow);

/** Something that a node did outside of its run: it called a tool or asked a model. */
interface Execution {
  readonly node: string;
  readonly what: string;
  /** The claim under which it began. */
  readonly epoch: number;
  readonly at: number;
}

/** One workflow run with everything that is known of it. */
interface FlowRun extends FlowStory {
  readonly history: RunHistory;
  readonly thread: ThreadHistory;
  readonly effects: History["effects"];
  readonly executions: readonly Execution[];
  /** When a client first saw each node end. */
  readonly seen: ReadonlyMap<string, number>;
}

const CHECKS: readonly ((run: FlowRun) => readonly string[])[] = [
  checkEnds,
  checkRepeats,
  checkOrder,
  checkEffects,
  checkWaits,
  checkGates,
  checkWhole,
];

/**
 * I12: a node ends once and does nothing more once its end is committed; it begins when the ends of those before it are committed; a tool that may not be
 * repeated is not repeated unless a person says so; a wait begins once and a gate is decided once; a run that is done did all of its nodes.
 */
export function findBrokenFlows(history: History): readonly Violation[] {
  return readFlows(history).flatMap((run) => {
    const { run_id, thread_id } = run.history.run;
    const problems = CHECKS.flatMap((check) => check(run));
    return [...problems, ...checkOwners(history, run)].map((message): Violation => {
      return { invariant: "I12", thread_id, run_id, message };
    });
  });
}

function readFlows(history: History): readonly FlowRun[] {
  const seen = seenEnds(history);
  const effects = Map.groupBy(history.effects, ({ run_id }) => run_id);
  const names = new Map(
    history.threads.flatMap(({ entries }) =>
      entries.map(({ run_id, request }) => [request?.messages.map(textOf).join(""), run_id] as const),
    ),
  );
  const models = Map.groupBy(history.models, ({ script }) => names.get(readFlowScript(script)?.run));
  return history.threads.flatMap((thread) =>
    thread.runs
      .filter(({ run }) => run.agent_id === FLOW_AGENT)
      .map((run): FlowRun => {
        const { run_id } = run.run;
        const own = (effects.get(run_id) ?? []).filter(({ node }) => node !== undefined);
        return {
          ...tellFlow(run),
          history: run,
          thread,
          effects: own,
          executions: [
            ...own.map(({ node = "", tool, epoch, started_at }) => ({ node, what: tool, epoch, at: started_at })),
            ...(models.get(run_id) ?? []).map(({ script, epoch = 0, at }) => {
              return { node: readFlowScript(script)?.node ?? "", what: "its model", epoch, at };
            }),
          ],
          seen: seen.get(run_id) ?? new Map(),
        };
      }),
  );
}

function seenEnds({ witness }: History): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const runs = new Map<string, Map<string, number>>();
  for (const record of witness) {
    if (record.type !== "event" || record.event.type !== "node_end") continue;
    const { run_id, data } = record.event;
    const seen = runs.get(run_id) ?? new Map<string, number>();
    runs.set(run_id, seen);
    if (!seen.has(data.node_id)) seen.set(data.node_id, record.at);
  }
  return runs;
}

function checkEnds({ ends, starts }: FlowRun): readonly string[] {
  const often = [...ends].filter(([, all]) => all.length > 1);
  return [
    ...(starts > 1 ? [`The workflow began ${starts} times.`] : []),
    ...often.map(([node, { length }]) => `Node ${node} ended ${length} times.`),
  ];
}

/** Nobody works on a node whose end is committed: not whoever comes later, and not who committed it. */
function checkRepeats({ executions, ends, seen }: FlowRun): readonly string[] {
  return executions.flatMap(({ node, what, epoch, at }): readonly string[] => {
    const end = ends.get(node)?.[0];
    if (end === undefined || epoch < end.epoch) return [];
    if (epoch > end.epoch) {
      return [`Node ${node} used ${what} under epoch ${epoch}; its end was committed by epoch ${end.epoch}.`];
    }
    const seenAt = seen.get(node) ?? Number.POSITIVE_INFINITY;
    return at > seenAt ? [`Node ${node} used ${what} ${at - seenAt} ms after somebody saw its end.`] : [];
  });
}

/** A node begins when everything before it is over, as far as anybody who comes later can tell. */
function checkOrder({ executions, ends }: FlowRun): readonly string[] {
  return executions.flatMap(({ node, what, epoch }) =>
    nodesBefore(node)
      .filter((before) => !(ends.get(before) ?? []).some((end) => end.epoch <= epoch))
      .map((before) => `Node ${node} used ${what} under epoch ${epoch}, before the end of ${before} was committed.`),
  );
}

const BODY = /^(.+)\[\d+\]\.([^.]+)$/;

function nodesBefore(path: string): readonly string[] {
  const [, owner, id] = BODY.exec(path) ?? [];
  if (owner === undefined || id === undefined) return dependenciesOf(PLAN, path);
  const body = PLAN.find((vertex) => vertex.id === owner)?.body?.vertices ?? [];
  const prefix = path.slice(0, -id.length);
  return [...dependenciesOf(body, id).map((before) => prefix + before), ...dependenciesOf(PLAN, owner)];
}

function dependenciesOf(vertices: readonly PlanVertex[], id: string): readonly string[] {
  return vertices.find((vertex) => vertex.id === id)?.dependencies.map(({ on }) => on) ?? [];
}

/** How often tools took effect for each key: the key of a call names the node and the attempt. */
function checkEffects({ effects, ends, retries, unknown, history }: FlowRun): readonly string[] {
  const problems: string[] = [];
  for (const [key, all] of Map.groupBy(effects, (effect) => effect.key)) {
    const [{ node = "", tool, call_id } = {}] = all;
    if (key !== call_id) problems.push(`Call ${call_id} of node ${node} took effect under the key ${key}.`);
    const again = (unknown.get(node) ?? []).filter(({ action, result }) => action === "resume" && result === undefined);
    const isRepeatable = flowToolKind(tool ?? "")?.idempotent === true;
    if (!isRepeatable && all.length > 1 + again.length) {
      problems.push(
        `Call ${key} of ${tool} took effect ${all.length} times; at most ${1 + again.length} were allowed.`,
      );
    }
    const attempt = attemptOf(history, node, key);
    const isAnnounced = attempt === 1 || (retries.get(node) ?? []).some(({ data }) => data.attempt === attempt);
    if (!isAnnounced) problems.push(`Call ${key} of ${tool} is of attempt ${attempt}, which was never begun.`);
  }
  for (const { id, node } of PLAN) {
    const end = ends.get(id)?.[0]?.event.data;
    if (node.type !== "tool" || end?.outcome !== "completed") continue;
    const isSupplied = (unknown.get(id) ?? []).some(({ result }) => result !== undefined);
    const key = `${history.run.run_id}-${id}-${end.attempt}`;
    if (!isSupplied && !effects.some((effect) => effect.key === key)) {
      problems.push(`Node ${id} was completed and its tool never took effect.`);
    }
  }
  return problems;
}

function attemptOf({ run }: RunHistory, node: string, key: string): number {
  return Number.parseInt(key.slice(`${run.run_id}-${node}-`.length), 10);
}

/** A sleep and a gate are begun once, however often the process dies meanwhile. */
function checkWaits({ waits, resumes, ends }: FlowRun): readonly string[] {
  const nodes = PLAN.filter(({ type }) => type === "human_gate" || type === "wait");
  return nodes.flatMap(({ id }): readonly string[] => {
    const asked = (waits.get(id) ?? []).length;
    const resumed = (resumes.get(id) ?? []).length;
    const isOver = (ends.get(id) ?? []).some(({ event }) => event.data.outcome === "completed");
    return [
      ...(asked > 1 ? [`Node ${id} began to wait ${asked} times.`] : []),
      ...(resumed > asked ? [`Node ${id} waited ${asked} times and was resumed ${resumed} times.`] : []),
      ...(isOver && resumed !== 1 ? [`Node ${id} is over and was resumed ${resumed} times.`] : []),
    ];
  });
}

/** What a gate came to is what was decided about it; without a decision its time ran out, where it has one. */
function checkGates({ waits, ends, history }: FlowRun): readonly string[] {
  return PLAN.flatMap(({ id, node }): readonly string[] => {
    const end = ends.get(id)?.[0]?.event.data;
    if (node.type !== "human_gate" || end?.outcome !== "completed") return [];
    const calls = new Set((waits.get(id) ?? []).map(({ data }) => data.call_id));
    const made = history.decisions.filter(({ call_id }) => calls.has(call_id));
    if (made.length > 1) return [`Gate ${id} was decided ${made.length} times.`];
    const { decision, decided_by } = (end.output ?? {}) as { readonly decision?: string; readonly decided_by?: string };
    const isTimeout = decided_by === "timeout";
    // A decision that came when the time was up is stored and has no effect.
    if (isTimeout) return node.timeout_ms === undefined ? [`Gate ${id} has no time limit and ran out of time.`] : [];
    const [used] = made;
    if (used === undefined) return [`Gate ${id} came to ${decision} and nobody decided.`];
    const expected = used.action === "resume" ? "approved" : "rejected";
    return decision === expected ? [] : [`Gate ${id} was decided as ${expected} and came to ${decision}.`];
  });
}

/** A run that is done did or skipped every node, and its answer is the output of the last one. */
function checkWhole({ history, thread, ends }: FlowRun): readonly string[] {
  const { run_id, status, termination_code } = history.run;
  const answers = thread.messages.filter(({ role, metadata }) => role === "assistant" && metadata?.run_id === run_id);
  const isNatural = status === "done" && termination_code === "natural";
  if (!isNatural) return answers.length === 0 ? [] : ["It was not done and has an answer."];
  const missing = allPaths().filter((path) => !ends.has(path));
  const output = ends.get("out")?.[0]?.event.data.output ?? null;
  const said = answers.map(textOf);
  const isSaid = said.length === 1 && isSameJson(JSON.parse(said[0] ?? "null"), output);
  return [
    ...missing.map((path) => `It is done, and node ${path} never ended.`),
    ...(isSaid ? [] : [`Its answer is ${said.join(" | ")}, not the output of its last node.`]),
  ];
}

/** The paths of every node, those of the three items included. */
function allPaths(): readonly string[] {
  return PLAN.flatMap(({ id, body }) => [
    id,
    ...[0, 1, 2].flatMap((index) => (body?.vertices ?? []).map((vertex) => `${id}[${index}].${vertex.id}`)),
  ]);
}

/** An owner that was replaced calls no tool that may not be repeated. */
function checkOwners({ claims }: History, { effects, history }: FlowRun): readonly string[] {
  const owners = claims.filter(({ thread_id }) => thread_id === history.run.thread_id);
  return effects
    .filter(({ tool }) => flowToolKind(tool)?.idempotent === false)
    .filter(({ epoch, started_at }) => owners.some((claim) => claim.epoch > epoch && claim.at < started_at))
    .map(({ call_id, epoch }) => `Call ${call_id} was begun by epoch ${epoch} when a later one was already at work.`);
}
