import { suspendTool, type Tool, type ToolContext } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import type { EffectLine } from "../ledger/ledger-line.ts";
import { notes } from "./notes-state.ts";
import { pauseFor } from "./pause-for.ts";
import { TOOL_KINDS, type ToolKind, type ToolName } from "./tool-kinds.ts";

export type ChaosInput = { readonly n: number; readonly pause_ms: number };

export interface ChaosToolsOptions {
  /** Makes an effect a fact; resolves when it is one. */
  takeEffect(line: Omit<EffectLine, "worker" | "incarnation" | "epoch">): Promise<void>;
  point(name: string): void;
  /** How a tool is described to the runtime: as the table says, unless a bug was planted. */
  kindOf(name: ToolName, kind: ToolKind): ToolKind;
}

/** Said, so that a client can tell what an early decision is about. */
export const TOOL_VERSION = "1";

const INPUT_SCHEMA = {
  type: "object",
  properties: { n: { type: "integer" }, pause_ms: { type: "integer" } },
  required: ["n", "pause_ms"],
};

/** What a tool that worked answers: a function of its input, so that the checker knows it too. */
export function answerOf(tool: string, n: number): { readonly tool: string; readonly n: number } {
  return { tool, n };
}

/** A tool for every kind of the table. */
export function createChaosTools(options: ChaosToolsOptions): readonly Tool[] {
  // The keys of the table are its names.
  const names = Object.keys(TOOL_KINDS) as ToolName[];
  return names.map((name) => createChaosTool(name, options.kindOf(name, TOOL_KINDS[name]), options));
}

function createChaosTool(name: ToolName, kind: ToolKind, options: ChaosToolsOptions): Tool {
  return defineTool<ChaosInput>({
    id: name,
    description: `Does ${name} n.`,
    inputSchema: INPUT_SCHEMA,
    class: kind.class,
    idempotent: kind.idempotent,
    needsApproval: kind.needsApproval ?? false,
    interruptBehavior: kind.interruptBehavior ?? "cancel",
    version: TOOL_VERSION,
    timeoutMs: 20_000,
    async execute({ n, pause_ms }, context) {
      const started_at = Date.now();
      if (kind.asks === true && context.decision === undefined) return suspendTool({ action: "tool:ask" });
      await pauseFor(Math.min(pause_ms, kind.longestMs), context.signal);
      options.point("effect:before");
      await options.takeEffect({ kind: "effect", ...identityOf(context), tool: name, n, started_at });
      options.point("effect:after");
      if (kind.fails === true) throw new Error("It took effect and failed.");
      if (kind.notes === true) context.state.apply(notes.add(context.identity.call_id, n));
      return answerOf(name, n);
    },
  });
}

function identityOf({ identity, idempotencyKey, decision }: ToolContext) {
  const { thread_id, run_id, call_id } = identity;
  return {
    key: idempotencyKey,
    thread_id,
    run_id,
    call_id,
    ...(decision !== undefined && { decision_id: decision.decision_id }),
  };
}
