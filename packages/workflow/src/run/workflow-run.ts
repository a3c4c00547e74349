import { canonicalJson, type ProgramEnd, type ProgramNews, type ProgramPort, RepriseError } from "@reprise/contracts";
import { type Json, type JsonObject, ops } from "@reprise/state";
import type { Workflow } from "../document/workflow-document.ts";
import type { NodeFailure } from "../node/node-executor.ts";
import { type Flow, RunFailed } from "./flow.ts";
import { FlowBodies } from "./flow-bodies.ts";
import { FlowHolds } from "./flow-holds.ts";
import { FlowNodes, type StoredOutcome } from "./flow-nodes.ts";
import { FlowWaits } from "./flow-waits.ts";
import { GraphRun, outputOf } from "./graph-run.ts";
import { maxParallelOf } from "./max-parallel.ts";
import type { NodeLimits } from "./node-limits.ts";
import { RunBook } from "./run-book.ts";
import { readRequest } from "./run-input.ts";
import { blobsIn, loadValue } from "./stored-values.ts";
import type { WorkflowHost } from "./workflow-host.ts";
import { isSettled, type StoredValue, type WorkflowState } from "./workflow-state.ts";

/** What an activation of a workflow run works with. */
export interface WorkflowRunOptions extends Pick<Flow, "host" | "limits" | "compile"> {
  readonly port: ProgramPort;
}

/** One activation of a workflow run: begins the nodes that are ready, takes in what becomes of them, commits, waits. */
export class WorkflowRun implements Flow {
  readonly host: WorkflowHost;
  readonly limits: NodeLimits;
  readonly compile: Flow["compile"];
  readonly book: RunBook;
  readonly nodes: FlowNodes = new FlowNodes(this);
  readonly waits: FlowWaits = new FlowWaits(this);
  readonly bodies: FlowBodies = new FlowBodies(this);
  readonly holds: FlowHolds = new FlowHolds(this);
  #root: GraphRun | undefined;

  constructor({ port, host, limits, compile }: WorkflowRunOptions) {
    this.book = new RunBook(port);
    this.host = host;
    this.limits = limits;
    this.compile = compile;
  }

  async run(): Promise<ProgramEnd> {
    try {
      this.#open();
      return await this.#loop();
    } catch (error) {
      if (!(error instanceof RunFailed)) throw error;
      const { failure, nodeId } = error;
      this.book.change([ops.set(["error"], { ...failure, ...(nodeId !== undefined && { node_id: nodeId }) })]);
      const { code, message, retryable } = failure;
      return { type: "failed", code, message, retryable };
    } finally {
      this.book.flush();
    }
  }

  /** Begins the run, or takes it up where an earlier activation left it. */
  #open(): void {
    const stored = this.book.port.state as unknown as WorkflowState | undefined;
    this.book.state = stored ?? this.#start();
    this.holds.watchDeadline();
    if (this.book.known.workflow.context !== undefined && this.book.known.ctx === undefined)
      this.holds.resolveContext();
    else this.holds.takeSlot();
    for (const [path, record] of Object.entries(this.book.known.nodes)) this.book.records.set(path, record);
    if (stored !== undefined) this.holds.compareDocuments();
    this.rebuild();
  }

  rebuild(): void {
    const { vertices } = this.compile(this.book.known.workflow);
    this.#root = new GraphRun(vertices, "", (path) => this.book.records.get(path));
    this.takeUp(this.#root);
  }

  #start(): WorkflowState {
    // Checked when the agent was registered.
    const { workflow } = this.book.port.definition as unknown as { readonly workflow: Workflow };
    const request = this.#readRequest(workflow);
    const document = this.book.port.hash(canonicalJson(this.book.port.definition));
    const { inputs, secrets, keep } = request;
    const limit = workflow.timeout_ms === undefined ? {} : { timeout_ms: workflow.timeout_ms };
    const state: WorkflowState = { workflow, document, inputs, secrets, nodes: keep };
    this.book.replace(state);
    this.book.port.refersTo(Object.values(keep).flatMap(({ output }) => blobsIn(output)));
    this.book.emit({ type: "workflow_start", data: { workflow_id: workflow.id, document, inputs, ...limit } });
    return state;
  }

  #readRequest(workflow: Workflow): ReturnType<typeof readRequest> {
    try {
      return readRequest(workflow, this.book.port.input, this.book.port.identity.origin);
    } catch (error) {
      if (!RepriseError.is(error, "WORKFLOW_INPUTS_INVALID")) throw error;
      throw new RunFailed({ code: "validation", message: error.message, retryable: false });
    }
  }

  async #loop(): Promise<ProgramEnd> {
    for (;;) {
      if (!this.holds.isHeld) await this.#schedule();
      await this.nodes.beginHeld();
      const isIdle = this.book.busy === 0 && !this.holds.isBusy;
      if (this.#root?.isOver === true && isIdle && !this.holds.isHeld) return this.#finish(this.#root);
      if (isIdle) this.holds.askForDeadline();
      await this.book.commit();
      const news = await this.book.port.next({ isIdle });
      if (news.length === 0) return { type: "waiting" };
      for (const each of news) await this.#take(each);
    }
  }

  /** Begins everything that is ready, as far as `max_parallel` allows. */
  async #schedule(): Promise<void> {
    for (;;) {
      const graphs = [
        ...(this.#root === undefined ? [] : [this.#root]),
        ...[...this.bodies.open.values()].map(({ graph }) => graph),
      ];
      let isChanged = false;
      for (const graph of graphs) isChanged = this.#startReady(graph) || isChanged;
      if (this.waits.toDelegate.length > 0) await this.waits.delegate();
      if (!isChanged) return;
    }
  }

  #startReady(graph: GraphRun): boolean {
    const ready = graph.takeReady();
    const max = maxParallelOf(this.book.known.workflow);
    let isChanged = false;
    for (const [index, vertex] of ready.entries()) {
      if (this.book.busy + this.nodes.heldCount >= max) {
        graph.putBack(ready.slice(index));
        return isChanged;
      }
      const place = { path: graph.prefix + vertex.id, graph, vertex };
      if (vertex.dependencies.some((dependency) => this.nodes.mustAsk(graph, dependency))) this.nodes.askEdges(place);
      else isChanged = this.nodes.startNode(place, () => true) || isChanged;
    }
    return isChanged;
  }

  async #take(news: ProgramNews): Promise<void> {
    switch (news.type) {
      case "ended":
        return this.#takeEnd(news.key, news.value);
      case "announced":
        return this.#takeAnnouncement(news);
      case "answered":
        return this.waits.takeAnswer(news);
      case "expired":
        return this.waits.takeExpiry(news.key);
      case "child":
        return this.waits.takeChild(news);
      default:
        return news satisfies never;
    }
  }

  async #takeEnd(key: string, value: Json): Promise<void> {
    const task = this.book.tasks.get(key);
    this.book.tasks.delete(key);
    if (task === undefined) return;
    if (task.for === "context") return this.holds.takeContext(value as { readonly value?: JsonObject });
    if (task.for === "deadline") throw this.holds.tooLate();
    if (task.for === "slot") return this.holds.takeSlotEnd(value as { readonly failure?: NodeFailure } | null);
    if (!("path" in task)) return;
    this.book.busy -= 1;
    // Its graph was given up: an item of the fan-out failed, or the node around it.
    if (!this.bodies.isOpen(task.graph)) return;
    const failure = (value as { readonly failure?: NodeFailure } | null)?.failure;
    if (failure !== undefined) return this.nodes.fail(task, this.book.recordOf(task), { error: failure });
    switch (task.for) {
      case "node":
        // Written by `#work`.
        return this.nodes.takeOutcome(task, value as unknown as StoredOutcome);
      case "pause":
        return this.nodes.again(task);
      case "edges": {
        const { held } = value as { readonly held: readonly boolean[] };
        const asked = task.vertex.dependencies.filter((dependency) => this.nodes.mustAsk(task.graph, dependency));
        this.nodes.startNode(task, (dependency) => held[asked.indexOf(dependency)] ?? true);
        return;
      }
      case "items":
        return this.bodies.takeItems(task, value as { readonly items: readonly StoredValue[] });
      case "while":
        return this.bodies.takeWhile(task, value as { readonly goes_on: boolean });
      case "collect":
        return this.nodes.settle(task, {
          ...this.book.recordOf(task),
          status: "completed",
          output: (value as { readonly output: StoredValue }).output,
        });
      default:
        return task satisfies never;
    }
  }

  async #takeAnnouncement(news: Extract<ProgramNews, { type: "announced" }>): Promise<void> {
    const task = this.book.tasks.get(news.key);
    if (task?.for === "slot") {
      this.holds.release("slot");
      return news.confirm();
    }
    if (task === undefined || !("path" in task)) return;
    const record = this.book.recordOf(task);
    // Written by `announceCall`.
    const call = news.value as { readonly id: string; readonly tool_id: string };
    this.book.write(task.path, { ...record, calls: [...(record.calls ?? []), call] });
    await this.book.commit();
    news.confirm();
  }

  /** Has the nodes of a graph continue that an earlier activation left running or waiting. */
  takeUp(graph: GraphRun): void {
    const open = new Map(this.book.port.open.map((wait) => [wait.key, wait]));
    for (const vertex of graph.vertices) {
      const path = graph.prefix + vertex.id;
      const record = this.book.records.get(path);
      if (record === undefined || isSettled(record)) continue;
      const place = { path, graph, vertex };
      const wait = open.get(path);
      if (record.status === "waiting" || wait !== undefined) {
        this.waits.waiting.set(path, place);
        if (record.status === "running" && wait !== undefined) {
          this.book.write(path, { ...record, status: "waiting", wait: { type: "run", call_id: wait.callId } });
        }
      } else if (vertex.type === "fan_out" && record.count !== undefined) this.bodies.continueFanOut(place);
      else if (vertex.type === "loop" && record.iterations !== undefined)
        this.bodies.takeUpLoop(place, record.iterations);
      else if ((record.calls?.length ?? 0) > 0) this.waits.askWhatHappened(place, record);
      else this.nodes.work(place, record);
    }
  }

  async #finish(root: GraphRun): Promise<ProgramEnd> {
    const output = outputOf(root, (path) => this.book.records.get(path));
    if (blobsIn(output).length === 0) return { type: "done", output };
    await this.book.commit();
    this.book.begin("$outputs", { for: "outputs" }, async (work) => loadValue(work, output));
    for (;;) {
      for (const news of await this.book.port.next({ isIdle: false })) {
        if (news.type === "ended" && news.key === this.book.keyOf("$outputs"))
          return { type: "done", output: news.value };
        if (news.type === "ended") await this.#takeEnd(news.key, news.value);
      }
    }
  }
}
