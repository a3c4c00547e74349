import type { Json } from "@reprise/state";
import { evaluate } from "./execute-node.ts";
import type { Flow, Place } from "./flow.ts";
import { GraphRun, outputOf } from "./graph-run.ts";
import { maxParallelOf } from "./max-parallel.ts";
import { loadScope } from "./node-scope.ts";
import { loadValue, storeValue } from "./stored-values.ts";
import { isSettled, type StoredValue } from "./workflow-state.ts";

/** An instance of a body: one item of a fan-out, or one iteration of a loop. */
export interface Body {
  readonly graph: GraphRun;
  readonly owner: Place;
  readonly index: number;
}

/** How far a fan-out is. Items before `next` are over or open. */
interface Progress {
  readonly count: number;
  next: number;
  open: number;
  over: number;
  isCollected: boolean;
}

/** The bodies of fan-outs and loops: one graph for every item or iteration. */
export class FlowBodies {
  readonly #flow: Flow;
  /** The graphs of bodies that are at work, by their prefix. */
  readonly open: Map<string, Body> = new Map();
  /** How far the fan-outs are, by path. */
  readonly #progress = new Map<string, Progress>();

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  countItems(place: Place): void {
    const { node } = place.vertex;
    if (node.type !== "fan_out") return;
    const stored = this.#flow.nodes.scopeOf(place);
    this.#flow.book.busy += 1;
    this.#flow.book.begin(`${place.path}#items`, { ...place, for: "items" }, async (work) => {
      const evaluated = await evaluate(this.#flow.host, node.over, await loadScope(work, stored));
      if ("failure" in evaluated) return { failure: evaluated.failure as unknown as Json };
      if (!Array.isArray(evaluated.value)) {
        const message = `\`over\` of node ${place.path} must give an array.`;
        return { failure: { code: "validation", message, retryable: false } };
      }
      const items: StoredValue[] = [];
      for (const item of evaluated.value) items.push(await storeValue(work, item));
      return { items };
    });
  }

  takeItems(place: Place, { items }: { readonly items: readonly StoredValue[] }): void {
    const record = { ...this.#flow.book.recordOf(place), count: items.length };
    this.#flow.book.write(place.path, record);
    for (const [index, item] of items.entries()) {
      const kept = { status: "completed", attempt: 0, started_at: this.#flow.book.port.now, output: item } as const;
      this.#flow.book.write(`${place.path}[${index}]#item`, kept);
    }
    this.continueFanOut(place);
  }

  /** Begins the items of a fan-out, as far as it is. */
  continueFanOut(place: Place): void {
    const { count = 0 } = this.#flow.book.recordOf(place);
    const progress = { count, next: 0, open: 0, over: 0, isCollected: false };
    this.#progress.set(place.path, progress);
    this.#beginItems(place, progress);
  }

  /** An item of a fan-out is over, well or not: another one takes its place. */
  endItem(owner: Place): void {
    const progress = this.#progress.get(owner.path);
    if (progress === undefined) return;
    progress.open -= 1;
    progress.over += 1;
    this.#beginItems(owner, progress);
  }

  /** Begins more items, or collects the outputs once all are over. Each item is looked at once, however many there are. */
  #beginItems(place: Place, progress: Progress): void {
    const { node } = place.vertex;
    if (node.type !== "fan_out") return;
    const max = node.max_parallel ?? maxParallelOf(this.#flow.book.known.workflow);
    while (progress.next < progress.count && progress.open < max) {
      const index = progress.next;
      progress.next += 1;
      const item = this.#flow.book.records.get(`${place.path}[${index}]`);
      if (item !== undefined && isSettled(item)) progress.over += 1;
      else {
        progress.open += 1;
        this.#openBody(place, index);
      }
    }
    if (progress.over < progress.count || progress.isCollected) return;
    progress.isCollected = true;
    this.#collect(place, progress.count);
  }

  /** Whether a graph is at work: that of the workflow is, until the run ends. */
  isOpen(graph: GraphRun): boolean {
    return graph.prefix === "" || this.open.get(graph.prefix)?.graph === graph;
  }

  /** Forgets every body: the graph is built anew. */
  clear(): void {
    this.open.clear();
    this.#progress.clear();
  }

  #collect(place: Place, count: number): void {
    const items = Array.from({ length: count }, (_, index) => this.#flow.book.records.get(`${place.path}[${index}]`));
    this.#flow.book.busy += 1;
    this.#flow.book.begin(`${place.path}#collect`, { ...place, for: "collect" }, async (work) => {
      const outputs: Json[] = [];
      for (const item of items) {
        const { code = "internal", message = "" } = item?.error ?? {};
        outputs.push(
          item?.status === "failed" ? { error: { code, message } } : await loadValue(work, item?.output ?? null),
        );
      }
      return { output: await storeValue(work, outputs) };
    });
  }

  askWhile(place: Place, iteration: number): void {
    const { node } = place.vertex;
    if (node.type !== "loop") return;
    const stored = this.#flow.nodes.scopeOf(place);
    const last =
      iteration === 0 ? null : (this.#flow.book.records.get(`${place.path}[${iteration - 1}]`)?.output ?? null);
    const locals = new Map([...stored.locals, ["iteration", iteration] as const, ["last", last] as const]);
    this.#flow.book.busy += 1;
    this.#flow.book.begin(`${place.path}#while${iteration}`, { ...place, for: "while" }, async (work) => {
      if (iteration >= node.max_iterations) return { goes_on: false };
      const evaluated = await evaluate(this.#flow.host, node.while, await loadScope(work, { ...stored, locals }));
      if ("failure" in evaluated) return { failure: evaluated.failure as unknown as Json };
      return { goes_on: evaluated.value === true };
    });
  }

  takeWhile(place: Place, { goes_on }: { readonly goes_on: boolean }): void {
    const record = this.#flow.book.recordOf(place);
    const { iterations = 0 } = record;
    if (goes_on) {
      this.#flow.book.write(place.path, { ...record, iterations: iterations + 1 });
      return this.#openBody(place, iterations);
    }
    const last = this.#flow.book.records.get(`${place.path}[${iterations - 1}]`);
    this.#flow.nodes.settle(place, { ...record, status: "completed", output: last?.output ?? null });
  }

  #openBody(owner: Place, index: number): void {
    const prefix = `${owner.path}[${index}].`;
    const graph = new GraphRun(owner.vertex.body?.vertices ?? [], prefix, (path) => this.#flow.book.records.get(path));
    const body = { graph, owner, index };
    this.open.set(prefix, body);
    this.#flow.takeUp(graph);
    if (graph.isOver) this.endBody(body);
  }

  endBody(body: Body): void {
    const { graph, owner, index } = body;
    this.dropBody(body);
    const now = this.#flow.book.port.now;
    const output = outputOf(graph, (path) => this.#flow.book.records.get(path));
    this.#flow.book.write(`${owner.path}[${index}]`, { status: "completed", attempt: 1, started_at: now, output });
    if (owner.vertex.type === "fan_out") this.endItem(owner);
    else this.askWhile(owner, index + 1);
  }

  dropBody({ graph }: Body): void {
    this.open.delete(graph.prefix);
    for (const [path, place] of this.#flow.waits.waiting) {
      if (place.graph !== graph && !place.graph.prefix.startsWith(graph.prefix)) continue;
      this.#flow.waits.waiting.delete(path);
      const { wait } = this.#flow.book.recordOf(place);
      if (wait !== undefined) this.#flow.book.port.withdraw(wait.call_id);
    }
    // Most bodies hold no others, and there may be hundreds of them.
    if ([...graph.vertices].every(({ body }) => body === undefined)) return;
    for (const [prefix, nested] of this.open) if (prefix.startsWith(graph.prefix)) this.dropBody(nested);
  }

  takeUpLoop(place: Place, iterations: number): void {
    const last = this.#flow.book.records.get(`${place.path}[${iterations - 1}]`);
    if (last !== undefined && isSettled(last)) this.askWhile(place, iterations);
    else this.#openBody(place, iterations - 1);
  }
}
