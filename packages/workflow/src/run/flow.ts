import type { Workflow } from "../document/workflow-document.ts";
import type { NodeFailure } from "../node/node-executor.ts";
import type { PlanVertex, RunPlan } from "../plan/run-plan.ts";
import type { FlowBodies } from "./flow-bodies.ts";
import type { FlowHolds } from "./flow-holds.ts";
import type { FlowNodes } from "./flow-nodes.ts";
import type { FlowWaits } from "./flow-waits.ts";
import type { GraphRun } from "./graph-run.ts";
import type { NodeLimits } from "./node-limits.ts";
import type { RunBook } from "./run-book.ts";
import type { WorkflowHost } from "./workflow-host.ts";

/** A workflow run at work, as its parts see each other. */
export interface Flow {
  readonly host: WorkflowHost;
  readonly limits: NodeLimits;
  readonly compile: (workflow: Workflow) => RunPlan;
  /** What is stored of the run. */
  readonly book: RunBook;
  /** Nodes: how they begin, and what becomes of them. */
  readonly nodes: FlowNodes;
  /** Nodes that wait for something outside. */
  readonly waits: FlowWaits;
  /** The bodies of fan-outs and loops. */
  readonly bodies: FlowBodies;
  /** Reasons why no node may begin, and the time limit. */
  readonly holds: FlowHolds;
  /** Builds the graph of the workflow as the run keeps it now, and has its open nodes continue. */
  rebuild(): void;
  /** Has the nodes of a graph continue that an earlier activation left running or waiting. */
  takeUp(graph: GraphRun): void;
}

/** A node in its graph. */
export interface Place {
  /** Its id, with the bodies it stands in. */
  readonly path: string;
  readonly graph: GraphRun;
  readonly vertex: PlanVertex;
}

/** The purpose of a piece of work. */
export type Task =
  | (Place & { readonly for: "node" | "items" | "while" | "collect" | "edges" | "pause" })
  | { readonly for: "context" | "deadline" | "outputs" | "slot" };

/** The run ends with this error. */
export class RunFailed extends Error {
  readonly failure: NodeFailure;
  readonly nodeId: string | undefined;

  constructor(failure: NodeFailure, nodeId?: string) {
    super(failure.message);
    this.failure = failure;
    this.nodeId = nodeId;
  }
}
