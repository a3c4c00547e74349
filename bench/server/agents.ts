import type { ModelChunk } from "../../packages/reprise/src/advanced.ts";
import { type Agent, defineAgent, defineTool, type LanguageModel, textOf } from "../../packages/reprise/src/index.ts";

const look = defineTool({
  id: "look",
  description: "Looks something up.",
  class: "read_only",
  execute: () => ({ found: "x".repeat(200) }),
});

/**
 * Answers as it is told by the last message:
 * - `words <n>`: n pieces as fast as they are taken. `paced <n> <burst>`: so many pieces every 20 ms, each the moment it was said.
 * - `flood <n>`: n pieces of 1,000 characters. `rounds <n>`: so many rounds with a call, then ten words. `stall`: one word, then nothing.
 */
const model: LanguageModel = {
  id: "bench",
  async *stream({ messages, signal }): AsyncGenerator<ModelChunk> {
    const asked = messages.findLast(({ role }) => role === "user");
    const [order = "", count = "1", burst = "1"] = asked === undefined ? [] : textOf(asked).split(" ");
    const calls = messages.filter(({ role }) => role === "tool").length;
    if (order === "rounds" && calls < Number(count)) {
      yield { type: "tool_call_ready", id: `call-${calls}`, name: "look", arguments: "{}" };
      return yield { type: "finish", stop_reason: "tool_use" };
    }
    if (order === "stall") {
      yield { type: "text_delta", delta: "Well" };
      await new Promise((_, reject) => signal?.addEventListener("abort", reject, { once: true }));
    }
    const pieces = order === "rounds" ? 10 : Number(count);
    for (let piece = 0; piece < pieces; piece += 1) {
      if (order === "paced" && piece % Number(burst) === 0) await pause();
      yield {
        type: "text_delta",
        delta: order === "flood" ? "x".repeat(1_000) : order === "paced" ? moment() : "word ",
      };
    }
    yield { type: "finish", stop_reason: "end_turn" };
  },
};

export const PAUSE_MS = 20;

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

/** Microseconds on a clock that all processes of a machine share. */
export function moment(): string {
  return `@${process.hrtime.bigint() / 1_000n}@`;
}

export const agent: Agent = defineAgent({ id: "bench", model, tools: [look], maxRounds: 20 });
