import { toolFailure, toolResult } from "@reprise/contracts";
import type { Script } from "@reprise/models";
import type { StopWhen } from "@reprise/runtime";
import { type OpenOptions, openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { soon } from "../support/wait.ts";

export const request = { agent: "agent", threadId: "t1", input: "go" } as const;

export const call = (id: string) => ({ call: id, arguments: { title: id } });

/** Calls tools for ever: `a`, `b`, `a`, … */
export const endless: Script = (_, turn) => [call(turn % 2 === 1 ? "a" : "b")];

/** The tools `a` and `b`, and `fail`, which always fails; the executions of all of them, in order. */
export function makeTools() {
  const executed: string[] = [];
  const make = (id: string, result: unknown) =>
    countingTool({
      id,
      execute: () => {
        executed.push(id);
        return result;
      },
    }).tool;
  const failure = toolResult(toolFailure("fail", "execution_failed", "no"));
  return { tools: [make("a", "ok"), make("b", "ok"), make("fail", failure)], executed };
}

/** Plays a run that continues until something stops it. */
export async function playStop(stopWhen: readonly StopWhen[], script: Script = endless, options: OpenOptions = {}) {
  const { tools, executed } = makeTools();
  const agent = { maxRounds: 50, ...options.agent, stopWhen };
  const bench = await openRuntime({ tools, script, ...options, agent });
  const run = await bench.runtime.start(request);
  const outcome = await soon(run.outcome(), "the end of the run");
  const stopped =
    outcome.status === "done" && outcome.termination.type === "stopped" ? outcome.termination.value : undefined;
  return { ...bench, run, outcome, stopped, executed, record: await run.record() };
}
