/** How a tool of the workload behaves. One table for the worker, that runs the tools, and the checker, that judges them. */
export interface ToolKind {
  readonly class: "read_only" | "mutating";
  readonly idempotent: boolean;
  readonly needsApproval?: boolean;
  /** Asks a person itself, and continues when it is answered. */
  readonly asks?: boolean;
  /** For how long what it asks stays open; after that it counts as denied. */
  readonly expiresInMs?: number;
  /** Writes what it did into the thread's state too. */
  readonly notes?: boolean;
  /** Takes effect, and then says that it failed. */
  readonly fails?: boolean;
  readonly interruptBehavior?: "cancel" | "finish" | "block";
  /** How long it works at most, apart from writing to the ledger. */
  readonly longestMs: number;
}

export const TOOL_KINDS = {
  look: { class: "read_only", idempotent: true, longestMs: 10 },
  note: { class: "mutating", idempotent: true, notes: true, longestMs: 10 },
  charge: { class: "mutating", idempotent: false, notes: true, longestMs: 20 },
  pay: { class: "mutating", idempotent: false, needsApproval: true, longestMs: 20 },
  publish: { class: "mutating", idempotent: true, needsApproval: true, notes: true, longestMs: 10 },
  slow: { class: "mutating", idempotent: true, longestMs: 150 },
  ask: { class: "mutating", idempotent: true, asks: true, longestMs: 5 },
  offer: { class: "mutating", idempotent: true, asks: true, expiresInMs: 400, longestMs: 5 },
  crack: { class: "mutating", idempotent: false, fails: true, longestMs: 5 },
  hold: { class: "mutating", idempotent: true, interruptBehavior: "block", longestMs: 60 },
  wrap: { class: "mutating", idempotent: false, interruptBehavior: "finish", longestMs: 60 },
} as const satisfies Readonly<Record<string, ToolKind>>;

export type ToolName = keyof typeof TOOL_KINDS;

export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOL_KINDS, name);
}

export function toolKind(name: string): ToolKind | undefined {
  return isToolName(name) ? TOOL_KINDS[name] : undefined;
}

/** Whether an effect may happen again with the same key. */
export function isRepeatable(kind: ToolKind): boolean {
  return kind.class === "read_only" || kind.idempotent;
}
