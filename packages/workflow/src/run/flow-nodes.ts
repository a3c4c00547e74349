import type { ProgramEvent } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { retryOf } from "../agent/fallback-plan.ts";
import type { FailedNode, MediaJob, NodeFailure, NodeTokens, NodeWait } from "../node/node-executor.ts";
import type { PlanDependency, PlanVertex } from "../plan/run-plan.ts";
import { evaluate, executeNode, tooSlow } from "./execute-node.ts";
import { type Flow, type Place, RunFailed } from "./flow.ts";
import type { Body } from "./flow-bodies.ts";
import type { GraphRun } from "./graph-run.ts";
import { admitNode, LONGEST_WAIT_IN_PLACE_MS } from "./node-limits.ts";
import { loadScope, type StoredScope } from "./node-scope.ts";
import { retryDelay } from "./retry-delay.ts";
import { storeValue } from "./stored-values.ts";
import type { HostedContext } from "./workflow-host.ts";
import type { NodeRecord, StoredValue } from "./workflow-state.ts";

/** Nodes that change something outside. Nothing may be uncommitted when one begins: what it works with must not change after a crash. */
const EFFECTFUL: ReadonlySet<string> = new Set(["agent", "tool", "output"]);

/** What work on a node comes to, as it is stored with its effect. */
export type StoredOutcome =
  | { readonly kind: "completed"; readonly output: StoredValue; readonly tokensUsed?: NodeTokens }
  | { readonly kind: "branch"; readonly selected: boolean | string | number; readonly output: StoredValue }
  | FailedNode
  | { readonly kind: "paused"; readonly wait: NodeWait }
  | { readonly kind: "media_job"; readonly job: MediaJob }
  /** Its rate limit lets it begin later. */
  | { readonly kind: "held"; readonly ms: number };

/** Nodes of a workflow run: how they begin, and what becomes of them. */
export class FlowNodes {
  readonly #flow: Flow;
  readonly #held: { readonly place: Place; readonly record: NodeRecord }[] = [];

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  /** Whether an edge has a condition that has to be evaluated: the node before it was completed. */
  mustAsk(graph: GraphRun, { condition, on }: PlanDependency): boolean {
    return condition !== undefined && this.#flow.book.records.get(graph.prefix + on)?.status === "completed";
  }

  askEdges(place: Place): void {
    const { graph, vertex, path } = place;
    const asked = vertex.dependencies.filter((dependency) => this.mustAsk(graph, dependency));
    const stored = this.scopeOf(place);
    this.#flow.book.busy += 1;
    this.#flow.book.begin(`${path}#edges`, { ...place, for: "edges" }, async (work) => {
      const scope = await loadScope(work, stored);
      const held: boolean[] = [];
      for (const { condition = "true" } of asked) {
        const evaluated = await evaluate(this.#flow.host, condition, scope);
        if ("failure" in evaluated) return { failure: evaluated.failure as unknown as Json };
        held.push(evaluated.value === true);
      }
      return { held };
    });
  }

  /** Begins, skips or settles a node whose dependencies are settled; answers whether others may have become ready. */
  startNode(place: Place, holds: (dependency: PlanDependency) => boolean): boolean {
    const { graph, vertex, path } = place;
    const readiness = graph.readiness(vertex, holds);
    if (readiness !== "run") {
      this.settle(place, { status: "skipped", attempt: 0, started_at: this.#flow.book.port.now, reason: readiness });
      return true;
    }
    const record: NodeRecord = { status: "running", attempt: 1, started_at: this.#flow.book.port.now };
    if (vertex.type === "input" || vertex.type === "parallel") {
      this.#announceStart(place, record);
      const output = vertex.type === "input" ? this.#flow.book.known.inputs : null;
      this.settle(place, { ...record, status: "completed", output });
      return true;
    }
    this.#flow.book.write(path, record);
    if (this.#flow.book.owes && EFFECTFUL.has(vertex.type)) {
      this.#flow.book.emitOnCommit(this.#startOf(place, record));
      this.#held.push({ place, record });
      return false;
    }
    this.#announceStart(place, record);
    this.work(place, record);
    return false;
  }

  /** Begins the nodes that waited for the ends of those before them to be stored: one commit holds these ends and those beginnings. */
  async beginHeld(): Promise<void> {
    if (this.#held.length === 0) return;
    await this.#flow.book.commit();
    for (const { place, record } of this.#held.splice(0))
      if (this.#flow.bodies.isOpen(place.graph)) this.work(place, record);
  }

  /** How many nodes begin with the next commit. */
  get heldCount(): number {
    return this.#held.length;
  }

  #startOf({ path, vertex }: Place, { attempt }: NodeRecord): ProgramEvent {
    return { type: "node_start", data: { node_id: path, node_type: vertex.type, attempt } };
  }

  #announceStart(place: Place, record: NodeRecord): void {
    this.#flow.book.emit(this.#startOf(place, record));
  }

  /** Has a node do what its type says. */
  work(place: Place, record: NodeRecord): void {
    if (place.vertex.type === "fan_out") return this.#flow.bodies.countItems(place);
    if (place.vertex.type === "loop") return this.#flow.bodies.askWhile(place, 0);
    this.#flow.book.busy += 1;
    const { path, vertex } = place;
    const { attempt, job } = record;
    const { identity, now } = this.#flow.book.port;
    const stored = this.scopeOf(place);
    const { secrets } = this.#flow.book.known;
    this.#flow.book.begin(`${path}@${attempt}`, { ...place, for: "node" }, async (work): Promise<Json> => {
      const scope = await loadScope(work, stored);
      const admitted = { workflowId: this.#flow.book.known.workflow.id, node: vertex.node, scope };
      const slot = await admitNode(this.#flow.limits, this.#flow.host, admitted, work);
      if ("waitMs" in slot) return { kind: "held", ms: slot.waitMs };
      if ("failure" in slot) return { kind: "failed", error: slot.failure as unknown as Json };
      try {
        const context: HostedContext = {
          vertex,
          path,
          runId: identity.runId,
          tenant: identity.tenant,
          threadId: identity.threadId,
          attemptNumber: attempt,
          idempotencyKey: `${identity.runId}-${path}-${attempt}`,
          scope,
          workflow: this.#flow.book.known.workflow,
          secrets,
          now,
          signal: work.signal,
          // The event is that of its type; the compiler does not follow that through the union.
          emit: ({ type, data }) => work.show({ type, data: { ...data, node_id: path } } as ProgramEvent),
          announceCall: ({ id, tool_id }) => work.announce({ id, tool_id }),
          gate: work.gate,
          work,
        };
        const outcome =
          job === undefined
            ? await executeNode(this.#flow.host, context)
            : await this.#flow.host.pollMediaJob(context, job as unknown as MediaJob);
        if (outcome.kind !== "completed" && outcome.kind !== "branch") return outcome as unknown as Json;
        return { ...outcome, output: await storeValue(work, outcome.output) } as unknown as Json;
      } finally {
        slot.value();
      }
    });
  }

  /** The outputs that a node may read: of the nodes it depends on, and of those that the bodies around it depend on. */
  scopeOf({ graph, vertex }: Place): StoredScope {
    const { inputs, ctx = {} } = this.#flow.book.known;
    const outputs = new Map<string, StoredValue>();
    const locals = new Map<string, StoredValue>();
    const add = (dependencies: PlanVertex["dependencies"], prefix: string): void => {
      for (const { on } of dependencies) {
        const output = this.#flow.book.records.get(prefix + on)?.output;
        if (output !== undefined && !outputs.has(on)) outputs.set(on, output);
      }
    };
    add(vertex.dependencies, graph.prefix);
    for (
      let body = this.#flow.bodies.open.get(graph.prefix);
      body !== undefined;
      body = this.#flow.bodies.open.get(body.owner.graph.prefix)
    ) {
      this.#addLocals(locals, body);
      add(vertex.dependencies, body.owner.graph.prefix);
      add(body.owner.vertex.dependencies, body.owner.graph.prefix);
    }
    return { inputs, ctx, outputs, locals };
  }

  #addLocals(locals: Map<string, StoredValue>, { owner, index }: Body): void {
    const { node } = owner.vertex;
    const given: readonly (readonly [string, StoredValue])[] =
      node.type === "fan_out"
        ? [
            [node.as ?? "item", this.#flow.book.records.get(`${owner.path}[${index}]#item`)?.output ?? null],
            ["index", index],
          ]
        : [
            ["iteration", index],
            ["last", index === 0 ? null : (this.#flow.book.records.get(`${owner.path}[${index - 1}]`)?.output ?? null)],
          ];
    for (const [name, value] of given) if (!locals.has(name)) locals.set(name, value);
  }

  takeOutcome(task: Place, outcome: StoredOutcome): void {
    const record = this.#flow.book.recordOf(task);
    switch (outcome.kind) {
      case "completed":
        return this.settle(task, { ...record, status: "completed", output: outcome.output }, outcome.tokensUsed);
      case "branch":
        return this.settle(task, {
          ...record,
          status: "completed",
          output: outcome.output,
          selected: outcome.selected,
        });
      case "failed":
        return this.fail(task, record, outcome);
      case "paused":
        return this.#flow.waits.pause(task, record, outcome.wait);
      case "media_job": {
        const { job } = outcome;
        const { now } = this.#flow.book.port;
        const left = job.expires_at === undefined ? Number.POSITIVE_INFINITY : job.expires_at - now;
        // The provider has been asked for the last time.
        if (left <= 0) return this.fail(task, record, { error: tooSlow(task.path, task.vertex.node.timeout_ms ?? 0) });
        const waiting = { ...record, job: job as unknown as JsonObject };
        const message = `${task.path} waits for ${job.provider}.`;
        const told = { model: job.model, job_id: job.job_id };
        return this.#flow.waits.sleep(task, waiting, "media_job", {
          ms: Math.min(job.poll_after_ms, left),
          message,
          told,
        });
      }
      case "held": {
        const message = `${task.path} waits for its rate limit.`;
        return this.#flow.waits.sleep(task, record, "rate_limit", { ms: outcome.ms, message });
      }
      default:
        return outcome satisfies never;
    }
  }

  fail(place: Place, record: NodeRecord, failed: Omit<FailedNode, "kind">): void {
    const { node, agent } = place.vertex;
    const { error, tokensUsed } = failed;
    if (error.code === "budget_exceeded" && this.#flow.book.known.workflow.budget?.on_exceed === "pause_for_approval") {
      return this.#flow.waits.askForBudget(place, record, error);
    }
    const delay = retryDelay(retryOf(node, agent), failed, record.attempt);
    if (delay === undefined) return this.giveUp(place, record, error, tokensUsed);
    const { calls: _calls, job: _job, ...kept } = record;
    const attempt = record.attempt + 1;
    const next: NodeRecord = { ...kept, attempt };
    this.#flow.book.emitOnCommit({
      type: "node_retry",
      data: { node_id: place.path, attempt, error, delay_ms: delay },
    });
    if (delay > LONGEST_WAIT_IN_PLACE_MS)
      return this.#flow.waits.sleep(place, next, "retry", { ms: delay, message: error.message });
    this.#flow.book.write(place.path, next);
    // The node keeps its slot while it waits.
    this.#flow.book.busy += 1;
    this.#flow.book.begin(`${place.path}#pause${attempt}`, { ...place, for: "pause" }, async ({ env, signal }) => {
      await env.clock.sleep(delay, signal);
      return null;
    });
  }

  /** A node failed for good: so does the item, the loop or the run around it. */
  giveUp(place: Place, record: NodeRecord, error: NodeFailure, tokens?: NodeTokens): void {
    this.settle(place, { ...record, status: "failed", error }, tokens);
    const body = this.#flow.bodies.open.get(place.graph.prefix);
    if (body === undefined) throw new RunFailed(error, place.path);
    this.#flow.bodies.dropBody(body);
    const { owner, index } = body;
    const item = `${owner.path}[${index}]`;
    const { node } = owner.vertex;
    this.#flow.book.write(item, { status: "failed", attempt: 1, started_at: record.started_at, error });
    if (node.type !== "fan_out" || node.on_error !== "collect") {
      return this.giveUp(owner, this.#flow.book.recordOf(owner), error);
    }
    this.#flow.bodies.endItem(owner);
  }

  /** Takes a node up again, with its next attempt. */
  again(place: Place): void {
    const { wait, ...record } = this.#flow.book.recordOf(place);
    const running: NodeRecord = { ...record, status: "running" };
    this.#flow.book.write(place.path, running);
    // It was announced before it waited.
    if (record.job === undefined && wait?.type !== "rate_limit") this.#announceStart(place, running);
    this.work(place, running);
  }

  settle(place: Place, record: NodeRecord, tokens?: NodeTokens): void {
    const { path, graph, vertex } = place;
    const { calls: _calls, wait: _wait, job: _job, ...settled } = record;
    this.#flow.book.write(path, settled);
    this.#flow.book.owes = true;
    const { status, attempt, output, selected, error, reason, started_at } = settled;
    this.#flow.book.emitOnCommit({
      type: "node_end",
      data: {
        node_id: path,
        outcome: status === "skipped" || status === "failed" ? status : "completed",
        ...(status !== "skipped" && { attempt, duration_ms: Math.max(this.#flow.book.port.now - started_at, 0) }),
        ...(output !== undefined && { output }),
        ...(selected !== undefined && { selected }),
        ...(error !== undefined && { error }),
        ...(reason !== undefined && { reason }),
        ...(tokens !== undefined && { tokens }),
      },
    });
    if (status === "failed") return;
    graph.settle(vertex.id);
    const body = this.#flow.bodies.open.get(graph.prefix);
    if (body !== undefined && graph.isOver) this.#flow.bodies.endBody(body);
  }
}
