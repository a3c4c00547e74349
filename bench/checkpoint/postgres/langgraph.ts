import { randomUUID } from "node:crypto";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";
import type { Contestant } from "../contestant.ts";
import { type LangGraphDurability, openLangGraph } from "../contestants/langgraph.ts";
import { ANSWER, QUESTION } from "../load/workload.ts";
import { dropSchema, execute, freshSchema } from "./schemas.ts";

export function nameOfLangGraph(durability: LangGraphDurability): string {
  return `LangGraph PostgresSaver, ${durability}`;
}

/** The same run by LangGraph, kept by its own saver, with as many connections as runs at a time. */
export function langGraph(url: string, durability: LangGraphDurability): Contestant {
  return {
    name: nameOfLangGraph(durability),
    note: `\`createReactAgent\`, \`durability: "${durability}"\`, \`streamMode: "messages"\` read to the end`,
    keepsMore: true,
    async open(concurrency) {
      const { saver, schema, close } = await openSaver(url, concurrency);
      const say = openLangGraph(saver, durability, undefined);
      return {
        async run() {
          const said = await say(randomUUID(), QUESTION);
          if (said !== ANSWER) throw new Error("LangGraph gave another answer.");
        },
        countKept: () => countCheckpoints(url, schema),
        close,
      };
    },
  };
}

export interface OpenedSaver {
  readonly saver: PostgresSaver;
  readonly schema: string;
  close(): Promise<void>;
}

/** Its saver in a new schema. */
export async function openSaver(url: string, connections: number): Promise<OpenedSaver> {
  const schema = freshSchema();
  const pool = new pg.Pool({ connectionString: url, max: connections });
  // An idle connection that ends is no failure; one in use reports to its user.
  pool.on("error", () => {});
  const saver = new PostgresSaver(pool, undefined, { schema });
  await saver.setup();
  return {
    saver,
    schema,
    async close() {
      await saver.end();
      await dropSchema(url, schema);
    },
  };
}

export async function countCheckpoints(url: string, schema: string): Promise<number> {
  const [row] = await execute(url, `select count(*) as count from "${schema}".checkpoints`);
  return Number(row?.count);
}
