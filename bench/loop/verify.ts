import type { Contestant } from "./contestant.ts";
import { ANSWER, DELTAS, toolCalls } from "./workload.ts";

/** Throws unless a contestant calls the tool once a run and its reader sees the whole answer, alone and beside others. Returns the events of a run. */
export async function verify(contestant: Contestant): Promise<number> {
  const runner = await contestant.open();
  let shown = 0;
  for (const runs of [1, 10]) {
    toolCalls.count = 0;
    const reports = await Promise.all(Array.from({ length: runs }, () => runner.run()));
    if (toolCalls.count !== runs) {
      throw new Error(`${contestant.name} called the tool ${toolCalls.count} times in ${runs} runs.`);
    }
    for (const { text, events } of reports) {
      if (text !== ANSWER) throw new Error(`${contestant.name} gave another answer: ${JSON.stringify(text)}.`);
      shown = events;
      if (events < DELTAS.length) throw new Error(`${contestant.name} showed only ${events} events.`);
    }
  }
  await runner.close();
  return shown;
}
