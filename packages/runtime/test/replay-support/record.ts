import type { LanguageModel, Tool } from "@reprise/contracts";
import type { ReplayResult, RunHandle } from "@reprise/runtime";
import { type Bench, type OpenOptions, openRuntime } from "../support/open-runtime.ts";
import { soon } from "../support/wait.ts";

/** A model that must not be asked. */
export const deadModel: LanguageModel = {
  id: "scripted",
  stream: () => {
    throw new Error("a replay asked a model");
  },
};

/** A tool with all of its shape and none of its code. */
export function deadTool({ descriptor }: Tool): Tool {
  const touched = (): never => {
    throw new Error("a replay touched a tool");
  };
  return { descriptor, check: touched, needsApproval: touched, execute: touched };
}

/** Runs something live, and verifies it in another runtime whose model and tools throw when they are touched. */
export async function record(
  options: OpenOptions,
  meanwhile: (bench: Bench, run: RunHandle) => Promise<void> = async () => undefined,
) {
  const bench = await openRuntime(options);
  const { runtime, env } = bench;
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await meanwhile(bench, run);
  const over = run.outcome();
  for (let turn = 0; turn < 20; turn += 1) await env.advance(500);
  const outcome = await soon(over);
  const verify = async (): Promise<ReplayResult> => {
    const dead = (options.tools ?? []).map(deadTool);
    const other = await openRuntime({ ...options, world: bench, store: bench.store, model: deadModel, tools: dead });
    return soon(other.runtime.replay(run.id));
  };
  return { ...bench, run, outcome, verify };
}
