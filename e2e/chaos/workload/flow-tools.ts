import type { Tool } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { type ChaosInput, type ChaosToolsOptions, inputSchema } from "./chaos-tools.ts";
import { FIRST_VERSION } from "./generation.ts";
import { pauseFor } from "./pause-for.ts";

/** How a tool of the workflow behaves, for the worker and for the checker. */
export interface FlowToolKind {
  readonly idempotent: boolean;
  /** Takes effect and says that it failed, when the node's first attempt calls it. */
  readonly failsFirst?: boolean;
}

export const FLOW_TOOLS = {
  post: { idempotent: true },
  debit: { idempotent: false },
  balk: { idempotent: false, failsFirst: true },
} as const satisfies Readonly<Record<string, FlowToolKind>>;

export type FlowTool = keyof typeof FLOW_TOOLS;

export function flowToolKind(name: string): FlowToolKind | undefined {
  // An own key of the table, as was just checked.
  return Object.hasOwn(FLOW_TOOLS, name) ? FLOW_TOOLS[name as FlowTool] : undefined;
}

const LONGEST_MS = 30;
const FIRST_ATTEMPT = /-1$/;

export interface FlowToolsOptions extends Pick<ChaosToolsOptions, "takeEffect" | "point" | "trueNow"> {
  /** The newest claim that this process has on a thread. */
  epochOf(threadId: string): number;
}

/** The tools of the workflow. They note the node that called them and the claim under which they began. */
export function createFlowTools(options: FlowToolsOptions): readonly Tool[] {
  return Object.entries(FLOW_TOOLS).map(([name, kind]) => createFlowTool(name, kind, options));
}

function createFlowTool(name: string, kind: FlowToolKind, options: FlowToolsOptions): Tool {
  return defineTool<ChaosInput>({
    id: name,
    description: `Does ${name} n.`,
    inputSchema: inputSchema(FIRST_VERSION),
    class: "mutating",
    idempotent: kind.idempotent,
    version: String(FIRST_VERSION),
    timeoutMs: 20_000,
    async execute({ n, pause_ms }, { identity, idempotencyKey: key, signal }) {
      const { threadId: thread_id, runId: run_id, callId: call_id, stepId: node } = identity;
      const begun = { epoch: options.epochOf(thread_id), started_at: options.trueNow() };
      await pauseFor(Math.min(pause_ms, LONGEST_MS), signal);
      options.point("effect:before");
      const version = FIRST_VERSION;
      await options.takeEffect({
        kind: "effect",
        key,
        thread_id,
        run_id,
        call_id,
        node,
        tool: name,
        version,
        n,
        ...begun,
      });
      options.point("effect:after");
      if (kind.failsFirst === true && FIRST_ATTEMPT.test(call_id)) throw new Error("It took effect and failed.");
      return { tool: name, n };
    },
  });
}
