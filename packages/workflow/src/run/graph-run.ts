import type { PlanDependency, PlanVertex } from "../plan/run-plan.ts";
import { isSettled, type NodeRecord, type StoredValue } from "./workflow-state.ts";

/** Whether a vertex runs, once everything it depends on is settled. */
export type Readiness = "run" | "branch_not_taken" | "upstream_unreachable";

/**
 * How far one graph has come: the whole workflow, or one instance of a body. Settling a vertex costs what depends on it, so that a plan of any
 * size is scheduled in constant time per node.
 */
export class GraphRun {
  /** Stands before the ids of its vertices: empty, or `files[2].`. */
  readonly prefix: string;
  readonly #vertices: ReadonlyMap<string, PlanVertex>;
  readonly #records: (path: string) => NodeRecord | undefined;
  /** How many dependencies of each vertex are not settled. */
  readonly #pending = new Map<string, number>();
  /** In the order of the plan. */
  #ready: PlanVertex[] = [];
  #open: number;

  constructor(vertices: readonly PlanVertex[], prefix: string, records: (path: string) => NodeRecord | undefined) {
    this.prefix = prefix;
    this.#vertices = new Map(vertices.map((vertex) => [vertex.id, vertex]));
    this.#records = records;
    this.#open = vertices.length;
    for (const { id, dependencies } of vertices) {
      // A body may read what is outside of it, which is settled before it begins.
      const own = new Set(dependencies.map(({ on }) => on).filter((on) => this.#vertices.has(on)));
      this.#pending.set(id, own.size);
    }
    for (const vertex of vertices) {
      const record = records(prefix + vertex.id);
      // Vertices come after those they depend on, so that one pass takes in everything that an earlier activation settled.
      if (record === undefined && this.#pending.get(vertex.id) === 0) this.#ready.push(vertex);
      else if (record !== undefined && isSettled(record)) this.#count(vertex);
    }
  }

  /** Whether every vertex is settled. */
  get isOver(): boolean {
    return this.#open === 0;
  }

  get vertices(): Iterable<PlanVertex> {
    return this.#vertices.values();
  }

  vertex(id: string): PlanVertex | undefined {
    return this.#vertices.get(id);
  }

  /** Takes the vertices that may begin now. */
  takeReady(): readonly PlanVertex[] {
    return this.#ready.splice(0);
  }

  /** Puts vertices back that could not begin yet. */
  putBack(vertices: readonly PlanVertex[]): void {
    this.#ready.unshift(...vertices);
  }

  /** A vertex is completed, failed or skipped: those that depend on it may become ready. */
  settle(id: string): void {
    const settled = this.#vertices.get(id);
    if (settled === undefined) return;
    for (const dependent of this.#count(settled)) {
      if (this.#records(this.prefix + dependent.id) === undefined) this.#ready.push(dependent);
    }
  }

  /** Counts a vertex as settled; returns those that waited for nothing else. */
  #count({ dependents }: PlanVertex): readonly PlanVertex[] {
    this.#open -= 1;
    return dependents.flatMap((id) => {
      const vertex = this.#vertices.get(id);
      const left = (this.#pending.get(id) ?? 0) - 1;
      this.#pending.set(id, left);
      return vertex === undefined || left !== 0 ? [] : [vertex];
    });
  }

  /**
   * Whether a ready vertex runs. Data only orders: a vertex without an edge that routes to it runs. Otherwise one of these edges has to be active, so
   * that a join runs with the branches that were taken.
   */
  readiness({ dependencies }: PlanVertex, holds: (dependency: PlanDependency) => boolean): Readiness {
    const routing = dependencies.filter(({ kind, on }) => kind !== "data" && this.#vertices.has(on));
    if (routing.length === 0) return "run";
    const completed = routing.filter(({ on }) => this.#records(this.prefix + on)?.status === "completed");
    if (completed.length === 0) return "upstream_unreachable";
    return completed.some((dependency) => this.#isTaken(dependency) && holds(dependency)) ? "run" : "branch_not_taken";
  }

  #isTaken({ on, when }: PlanDependency): boolean {
    return when === undefined || this.#records(this.prefix + on)?.selected === when;
  }
}

/** The output of a graph: of its output nodes, or else of the nodes that nothing depends on; several by their ids. */
export function outputOf(graph: GraphRun, records: (path: string) => NodeRecord | undefined): StoredValue {
  const vertices = [...graph.vertices];
  const named = vertices.filter(({ type }) => type === "output");
  const last = named.length > 0 ? named : vertices.filter(({ dependents }) => dependents.length === 0);
  const outputs = last.flatMap(({ id }) => {
    const record = records(graph.prefix + id);
    return record?.status === "completed" ? [[id, record.output ?? null] as const] : [];
  });
  const [only] = outputs;
  return outputs.length > 1 ? Object.fromEntries(outputs) : (only?.[1] ?? null);
}
