import type { Script } from "@reprise/models";
import type { FakeEnv } from "@reprise/testkit";
import { assertConsistent } from "./assert-consistent.ts";
import { type OpenOptions, openRuntime } from "./open-runtime.ts";
import { countingTool } from "./tools.ts";
import { collect, settle, soon, typesOf } from "./wait.ts";

/** What a script says to call the tool `add`. */
export const ADD = { call: "add", arguments: { title: "x" } } as const;

/** Lets the time pass that a broken model is given to recover. */
async function passTime<Value>(env: FakeEnv, promise: Promise<Value>): Promise<Value> {
  let isOver = false;
  const over = promise.finally(() => {
    isOver = true;
  });
  over.catch(() => undefined);
  for (let turn = 0; turn < 10 && !isOver; turn += 1) {
    await settle();
    if (!isOver) await env.advance(500);
  }
  return over;
}

/** Plays a script to the run's end and gathers what is to be seen of it. */
export async function playScript(script: Script, options: OpenOptions = {}) {
  const { tool, keys } = countingTool();
  const bench = await openRuntime({ script, tools: [tool], ...options });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const outcome = await soon(passTime(bench.env, run.outcome()));
  await assertConsistent(bench.tenant, "t1");
  const events = await collect(run);
  const answers = (await bench.runtime.threads.messages("t1")).messages.filter(({ role }) => role === "assistant");
  return { ...bench, run, outcome, events, types: typesOf(events), answers, keys };
}
