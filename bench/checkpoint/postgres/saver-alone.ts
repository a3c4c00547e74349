import { randomUUID } from "node:crypto";
import type { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import type { Contestant } from "../contestant.ts";
import { openLangGraph } from "../contestants/langgraph.ts";
import { QUESTION } from "../load/workload.ts";
import { countCheckpoints, openSaver } from "./langgraph.ts";

export const SAVER_ALONE = "LangGraph PostgresSaver alone";

/** Something that was asked of the saver in a run. */
type Call = (saver: PostgresSaver, threadId: string) => Promise<unknown>;

/** The saver without the framework around it: what one run asked of it, asked again under other threads, one after the other. */
export function saverAlone(url: string): Contestant {
  return {
    name: SAVER_ALONE,
    note: "what one of its runs asked of the saver (a tuple, checkpoints, writes), by a bare loop",
    keepsMore: true,
    async open(concurrency) {
      const { saver, schema, close } = await openSaver(url, concurrency);
      const calls = await recordCalls(saver);
      return {
        async run() {
          const threadId = randomUUID();
          for (const call of calls) await call(saver, threadId);
        },
        countKept: () => countCheckpoints(url, schema),
        close,
      };
    },
  };
}

/** Lets the framework do one run, and takes down what it asks of the saver. */
async function recordCalls(saver: PostgresSaver): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const { getTuple, put, putWrites } = saver;
  saver.getTuple = (config) => {
    calls.push((other, threadId) => other.getTuple(inThread(config, threadId)));
    return getTuple.call(saver, config);
  };
  saver.put = (config, checkpoint, metadata, versions) => {
    calls.push((other, threadId) => other.put(inThread(config, threadId), checkpoint, metadata, versions));
    return put.call(saver, config, checkpoint, metadata, versions);
  };
  saver.putWrites = (config, writes, taskId) => {
    calls.push((other, threadId) => other.putWrites(inThread(config, threadId), writes, taskId));
    return putWrites.call(saver, config, writes, taskId);
  };
  await openLangGraph(saver, "sync", undefined)(randomUUID(), QUESTION);
  Object.assign(saver, { getTuple, put, putWrites });
  return calls;
}

type Config = Parameters<PostgresSaver["getTuple"]>[0];

function inThread(config: Config, threadId: string): Config {
  return { ...config, configurable: { ...config.configurable, thread_id: threadId } };
}
