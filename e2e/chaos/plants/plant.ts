import type { AgentEvent, Clock, Store } from "@reprise/contracts";
import type { Runtime } from "@reprise/runtime";
import type { Server } from "@reprise/server";
import type { InvariantName } from "../checker/history.ts";
import type { FaultPlan } from "../nemesis/nemesis.ts";
import type { Clients } from "../round/round-options.ts";
import type { ToolKind, ToolName } from "../workload/tool-kinds.ts";

/** A replacement in the text of one of our own sources, made while a worker loads it. */
export interface SourceChange {
  /** How the path of the source ends. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * A bug put into workers on purpose, to see whether the checker notices. It stands around what the worker uses; nothing that
 * is shipped knows of it.
 */
export interface Plant {
  /** What goes wrong, as one would put it in a post-mortem. */
  readonly story: string;
  /** The invariant that has to notice it. */
  readonly breaks: InvariantName;
  /** What has to happen for it to show. */
  readonly faults: FaultPlan;
  /** Two, where it takes somebody who was replaced. */
  readonly workers?: number;
  /** How clients reach the workers, where it matters. */
  readonly clients?: Clients;
  /** Whether agents have to have other agents work for them. */
  readonly trees?: boolean;
  /** Whether runs have to be workflows. */
  readonly workflows?: boolean;
  /** How wrong clocks are, where it matters. */
  readonly skewMs?: number;
  wrapStore?(store: Store): Store;
  wrapClock?(clock: Clock): Clock;
  wrapTool?(name: ToolName, kind: ToolKind): ToolKind;
  wrapServer?(server: Server, runtime: Runtime): Server;
  /** What a client is told instead of an event. Made anew for every stream. */
  createDistortion?(): (event: AgentEvent) => AgentEvent;
  readonly changes?: readonly SourceChange[];
}
