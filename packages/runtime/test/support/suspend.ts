import type { OpenDecision, RunHandle } from "@reprise/runtime";
import { type Bench, type OpenOptions, openRuntime } from "./open-runtime.ts";
import { countingTool } from "./tools.ts";
import { soon } from "./wait.ts";

export interface Suspended extends Bench {
  readonly run: RunHandle;
  readonly open: readonly OpenDecision[];
  readonly call: OpenDecision;
  /** The idempotency keys of the executions so far. */
  readonly keys: readonly string[];
}

/** A run on thread t1 that waits for approval of one or more calls of `add`, then answers "ok". */
export async function suspend(
  titles: readonly string[] = ["x"],
  options: OpenOptions & { readonly definition?: Parameters<typeof countingTool>[0] } = {},
): Promise<Suspended> {
  const { tool, keys } = countingTool({ needsApproval: true, ...options.definition });
  const calls = titles.map((title) => ({ call: "add", arguments: { title } }));
  const bench = await openRuntime({ script: [calls, "ok", "more", "yet more"], tools: [tool], ...options });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const outcome = await soon(run.outcome(), "the suspension");
  const [call] = outcome.status === "waiting" ? outcome.open : [];
  if (outcome.status !== "waiting" || call === undefined) throw new Error(`The run is ${outcome.status}.`);
  return { ...bench, run, open: outcome.open, call, keys };
}
