import {
  type SuspendTicket,
  suspendTool,
  type Tool,
  type ToolContext,
  toolEffect,
  toolFailure,
  toolPending,
  toolResult,
} from "@reprise/contracts";
import { defineTool, type ToolDefinition } from "@reprise/runtime";
import { defineState, gSet } from "@reprise/state";
import { z } from "zod";

/** The calls that changed the thread, in order. */
export const ledger = defineState({
  path: "ledger",
  initial: (): string[] => [],
  actions: { add: (list, entry: string) => [...list, entry] },
});

/** The same, for the current run only. */
export const runLedger = defineState({
  path: "run_ledger",
  scope: "run",
  initial: (): string[] => [],
  actions: { add: (list, entry: string) => [...list, entry] },
});

/** Who voted, in whatever order: what overlaps here merges. */
export const votes = defineState({
  path: "votes",
  initial: (): { voters: string[] } => ({ voters: [] }),
  fields: { voters: { lattice: gSet } },
  actions: { add: (state, voter: string) => ({ voters: [...state.voters, voter] }) },
});

/** What is kept for the time of one call. */
export const scratch = defineState({
  path: "scratch",
  scope: "tool_call",
  initial: () => 0,
  actions: { bump: (value) => value + 1 },
});

export interface ToolInput {
  readonly label: number;
  readonly waitMs: number;
}

/** What an execution tells the world about itself, before it does anything. */
export type Begin = (tool: ToolId, input: ToolInput, context: ToolContext) => Promise<void>;

type Definition = Pick<ToolDefinition<ToolInput, unknown>, "class" | "needsApproval" | "idempotent" | "timeoutMs">;

interface Kind extends Definition {
  readonly act: (input: ToolInput, context: ToolContext) => unknown;
}

/** Kinds of tools; what they are decides what may happen to them after a crash. */
export const KINDS = {
  look: { class: "read_only", act: (_, { state }) => ({ seen: state.get(ledger).length }) },
  note: { idempotent: true, act: write },
  pay: { act: write },
  pay_slowly: { timeoutMs: 5_000, act: write },
  ask: { needsApproval: true, act: write },
  ask_again: { needsApproval: ({ label }) => label % 2 === 0, idempotent: true, act: write },
  refuse: {
    act: (_, { identity }) => toolResult(toolFailure("refuse", "execution_failed", `Not ${identity.callId}.`)),
  },
  explode: {
    act(input, context) {
      write(input, context);
      throw new Error("It broke.");
    },
  },
  pend: { act: (input, context) => suspendSelf(input, context, { mode: "pass_decision_to_tool" }) },
  wait_for_answer: { act: (input, context) => suspendSelf(input, context, { mode: "use_decision_as_tool_result" }) },
  hurry: {
    act: (input, context) => suspendSelf(input, context, { mode: "pass_decision_to_tool", expires_in_ms: 4_000 }),
  },
  inquire: {
    act(input, context) {
      if ((context.decision?.suspension ?? 0) >= 2) return write(input, context);
      context.state.apply(ledger.add(`${context.identity.callId}:pending`));
      return suspendTool({ action: "tool:inquire" });
    },
  },
  vote: {
    act(_, { state, identity }) {
      state.apply(scratch.bump());
      state.apply(votes.add(identity.callId));
      return { voted: true };
    },
  },
  tell: {
    idempotent: true,
    act(input, context) {
      context.queueMessage({ role: "user", content: `${context.identity.threadId} was told.` });
      context.progress({ progress: 1, total: 2 });
      return write(input, context);
    },
  },
  stop: {
    act: (_, { state, identity }) =>
      toolEffect({ ran: true, seen: state.get(ledger).length }, [
        { type: "state", action: ledger.add(identity.callId) },
        { type: "state", action: runLedger.add(identity.callId) },
        { type: "terminate", reason: "enough" },
      ]),
  },
} as const satisfies Record<string, Kind>;

export type ToolId = keyof typeof KINDS | "missing";

export const TOOL_IDS: readonly ToolId[] = [...(Object.keys(KINDS) as (keyof typeof KINDS)[]), "pay", "ask", "missing"];

/** Tools whose calls may overlap although they write. */
export const PROMOTED: { readonly [tool: string]: { readonly max?: number } } = { vote: { max: 2 } };

const SELF_ASKING: ReadonlySet<ToolId> = new Set(["pend", "hurry", "inquire"]);

/** Whether a tool reads the decisions on its own questions: a result is then no reason not to run it. */
export function readsDecisions(tool: ToolId): boolean {
  return SELF_ASKING.has(tool);
}

export function isReadOnly(tool: ToolId): boolean {
  const kind: Kind | undefined = tool === "missing" ? undefined : KINDS[tool];
  return kind?.class === "read_only";
}

/** Whether a call may be executed again without asking anybody. */
export function isRepeatable(tool: ToolId): boolean {
  const kind: Kind | undefined = tool === "missing" ? undefined : KINDS[tool];
  return isReadOnly(tool) || kind?.idempotent === true;
}

/** Whether a call with these arguments must be approved before it runs for the first time. */
export function mustBeApproved(tool: ToolId, label: number): boolean {
  return tool === "ask" || (tool === "ask_again" && label % 2 === 0);
}

export function createTools(begin: Begin, sleep: (ms: number, signal: AbortSignal) => Promise<void>): readonly Tool[] {
  return Object.entries<Kind>(KINDS).map(([id, { act, ...definition }]) =>
    defineTool({
      id,
      description: `A tool that does ${id}.`,
      inputSchema: z.object({ label: z.number(), waitMs: z.number() }),
      ...definition,
      async execute(input, context) {
        await begin(id as ToolId, input, context);
        if (input.waitMs > 0) await sleep(input.waitMs, context.signal);
        return act(input, context);
      },
    }),
  );
}

function write({ label }: ToolInput, { state, identity }: ToolContext): unknown {
  const seen = state.get(ledger).length;
  state.apply(scratch.bump());
  state.apply(ledger.add(identity.callId));
  state.apply(runLedger.add(identity.callId));
  return { ran: true, label, seen };
}

interface Question {
  readonly mode: SuspendTicket["resume_mode"];
  readonly expires_in_ms?: number;
}

function suspendSelf(input: ToolInput, context: ToolContext, { mode, ...expiry }: Question): unknown {
  const { state, identity, decision } = context;
  if (decision !== undefined) return write(input, context);
  state.apply(ledger.add(`${identity.callId}:pending`));
  state.apply(scratch.bump());
  const asking = expiry.expires_in_ms === undefined ? "pend" : "hurry";
  const name = mode === "pass_decision_to_tool" ? asking : "wait_for_answer";
  const ticket: SuspendTicket = {
    suspension: { id: `${identity.callId}-own`, action: `tool:${name}` },
    pending: { id: identity.callId, name, arguments: { label: input.label, waitMs: input.waitMs } },
    resume_mode: mode,
    ...expiry,
  };
  return toolResult(toolPending(name, ticket));
}
