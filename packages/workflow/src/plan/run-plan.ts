import type { Workflow, WorkflowAgent, WorkflowNode } from "../document/workflow-document.ts";

/** A workflow that was checked and ordered. Made of JSON alone; equal documents have equal plans, byte for byte as canonical JSON. */
export interface RunPlan {
  readonly workflow: Workflow;
  /** Every vertex, in an order in which each comes after those it depends on; ties in authored order. */
  readonly vertices: readonly PlanVertex[];
}

/** A node with its place in the graph. */
export interface PlanVertex {
  readonly id: string;
  readonly type: WorkflowNode["type"];
  readonly node: WorkflowNode;
  /**
   * In the authored order of the vertices it depends on; of a merge with `parallel_of` in the order of the branches. Several entries with the
   * same `on` are alternatives: one of them has to be taken.
   */
  readonly dependencies: readonly PlanDependency[];
  /** Ids of the vertices that depend on this one. */
  readonly dependents: readonly string[];
  /** Of an agent node whose agent is in the document. */
  readonly agent?: WorkflowAgent;
  /** Of a fan-out or a loop: the graph it runs. */
  readonly body?: BodyPlan;
}

/**
 * Why a vertex comes after another.
 * - `authored`: an edge of the document, perhaps with a `condition`.
 * - `routing`: a branch of a condition (`when` says which), or a branch of a `parallel`.
 * - `data`: a template or expression reads the other's output. Such an edge orders, and does not route: a vertex whose only reasons are
 *   data runs also when the other was skipped.
 */
export interface PlanDependency {
  readonly on: string;
  readonly kind: "authored" | "routing" | "data";
  /** The branch of a condition that has to be taken. */
  readonly when?: boolean | string | number | "default";
  readonly condition?: string;
  /** A word for people, of an edge that was drawn. */
  readonly label?: string;
}

/** The plan of a graph inside a node. */
export interface BodyPlan {
  readonly vertices: readonly PlanVertex[];
}
