import { suspendTool, type Tool, type ToolContext } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import type { EffectLine } from "../ledger/ledger-line.ts";
import { FIRST_GENERATION, type Generation, kindAt, toolsIn, versionIn } from "./generation.ts";
import { notes } from "./notes-state.ts";
import { pauseFor } from "./pause-for.ts";
import type { ToolKind, ToolName } from "./tool-kinds.ts";

export type ChaosInput = { readonly n: number; readonly pause_ms: number };

export interface ChaosToolsOptions {
  /** Makes an effect a fact; resolves when it is one. */
  takeEffect(
    line: Omit<EffectLine, "worker" | "incarnation" | "epoch"> & Partial<Pick<EffectLine, "epoch">>,
  ): Promise<void>;
  point(name: string): void;
  /** How a tool is described to the runtime: as the table says, unless a bug was planted. */
  kindOf(name: ToolName, kind: ToolKind): ToolKind;
  /** The time, however wrong the clock of the process is. */
  trueNow(): number;
}

/** What a tool that worked answers: a function of its input, so that the checker knows it too. */
export function answerOf(tool: string, n: number): { readonly tool: string; readonly n: number } {
  return { tool, n };
}

/** The tools of a generation. */
export function createChaosTools(
  options: ChaosToolsOptions,
  generation: Generation = FIRST_GENERATION,
): readonly Tool[] {
  return toolsIn(generation).map((name) => createChaosTool(name, versionIn(name, generation), options));
}

export function createChaosTool(name: ToolName, version: number, options: ChaosToolsOptions): Tool {
  const kind = options.kindOf(name, kindAt(name, version));
  return defineTool<ChaosInput>({
    id: name,
    description: `Does ${name} n.`,
    inputSchema: inputSchema(version),
    class: kind.class,
    idempotent: kind.idempotent,
    needsApproval: kind.needsApproval ?? false,
    interruptBehavior: kind.interruptBehavior ?? "cancel",
    version: String(version),
    timeoutMs: 20_000,
    async execute({ n, pause_ms }, context) {
      const started_at = options.trueNow();
      if (kind.asks === true && context.decision === undefined) return suspendTool(questionOf(kind));
      await pauseFor(Math.min(pause_ms, kind.longestMs), context.signal);
      options.point("effect:before");
      await options.takeEffect({ kind: "effect", ...identityOf(context), tool: name, version, n, started_at });
      options.point("effect:after");
      if (kind.fails === true) throw new Error("It took effect and failed.");
      if (kind.notes === true) context.state.apply(notes.add(context.identity.callId, n));
      return answerOf(name, n);
    },
  });
}

/** A new version takes one more field, which nobody has to give: what was asked of an old one is still valid. */
export function inputSchema(version: number) {
  const added = Array.from({ length: version - 1 }, (_, index) => [`since_${index + 2}`, { type: "string" }]);
  return {
    type: "object",
    properties: { n: { type: "integer" }, pause_ms: { type: "integer" }, ...Object.fromEntries(added) },
    required: ["n", "pause_ms"],
  };
}

function questionOf({ expiresInMs }: ToolKind) {
  if (expiresInMs === undefined) return { action: "tool:ask" };
  return { action: "tool:offer", expires_in_ms: expiresInMs };
}

function identityOf({ identity, idempotencyKey, decision }: ToolContext) {
  const { threadId: thread_id, runId: run_id, callId: call_id } = identity;
  return {
    key: idempotencyKey,
    thread_id,
    run_id,
    call_id,
    ...(decision !== undefined && { decision_id: decision.decision_id }),
  };
}
