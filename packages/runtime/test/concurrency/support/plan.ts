import type { InterruptBehavior, ToolConcurrency } from "@reprise/contracts";

/**
 * How a tool stands to others, as an author says it: `promoted` ones may run beside each other, `delegating` ones run agents
 * of their own, `missing` ones do not exist.
 */
export type Kind = "reading" | "writing" | "promoted" | "delegating" | "missing";

/** Two tools of each kind, so that the same kind is not always the same tool. */
export const KINDS = {
  look: "reading",
  scan: "reading",
  write: "writing",
  edit: "writing",
  push: "promoted",
  send: "promoted",
  delegate: "delegating",
  assign: "delegating",
  ghost: "missing",
} as const satisfies Record<string, Kind>;

export type ToolName = keyof typeof KINDS;

/** A call the model makes, and what becomes of it. Plain data: it is what the model is told and what the tool is given. */
export interface PlannedCall {
  readonly tool: ToolName;
  /** How long it takes, by the virtual clock. */
  readonly ms: number;
  /** `throws` and `asks` at its end; `stays` until it is stopped; `approval` asks before it begins. */
  readonly end?: "throws" | "asks" | "stays" | "approval";
  /** When the run is interrupted; `cancel` unless said otherwise. */
  readonly when?: InterruptBehavior;
  /** What it writes, or reads. */
  readonly key?: string;
  /** What the agent below does: for delegating tools. */
  readonly below?: readonly (readonly PlannedCall[])[];
}

/** How many of a tool may run at once; absent for as many as the pool holds. */
export type Caps = { readonly [Tool in ToolName]?: number };

/** Tools that differ only in how they take an interruption are different tools. */
export function toolIdOf({ tool, when = "cancel" }: Pick<PlannedCall, "tool" | "when">): string {
  return when === "cancel" ? tool : `${tool}.${when}`;
}

export function kindOf(toolId: string): Kind {
  const [name = ""] = toolId.split(".");
  // Ids are made by `toolIdOf`.
  return KINDS[name as ToolName];
}

/** Every call of a plan, those of the agents below included. */
export function flatten(plan: readonly PlannedCall[]): readonly PlannedCall[] {
  return plan.flatMap((call) => [call, ...flatten((call.below ?? []).flat())]);
}

/** What the agent is told about tools that may run at the same time. */
export function concurrencyOf(plan: readonly PlannedCall[], caps: Caps): Record<string, ToolConcurrency> {
  const isNamed = ({ tool }: PlannedCall) => KINDS[tool] === "promoted" || caps[tool] !== undefined;
  return Object.fromEntries(
    flatten(plan)
      .filter(isNamed)
      .map((call) => {
        const max = caps[call.tool];
        return [toolIdOf(call), max === undefined ? {} : { max }];
      }),
  );
}

/** The calls of a round, split where the kind of work changes: what the model may rely on. */
export function splitByKind(plan: readonly PlannedCall[]): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (const [index, call] of plan.entries()) {
    const before = plan[index - 1];
    if (before !== undefined && poolOf(before.tool) === poolOf(call.tool)) groups.at(-1)?.push(index);
    else groups.push([index]);
  }
  return groups;
}

/** The places a call is executed in: delegating tools share those of the promoted ones. */
export function poolOf(tool: string): Pool | undefined {
  return POOLS[kindOf(tool)];
}

export type Pool = "read" | "serial" | "concurrent";

const POOLS = {
  reading: "read",
  writing: "serial",
  promoted: "concurrent",
  delegating: "concurrent",
  missing: undefined,
} as const satisfies Record<Kind, Pool | undefined>;
