import type { LanguageModel, ModelChunk } from "../../packages/contracts/src/index.ts";
import { createNodeEnv } from "../../packages/node/src/index.ts";
import { createRuntime, defineAgent, type Runtime } from "../../packages/runtime/src/index.ts";
import { createMemoryBlobStore, createMemoryStore } from "../../packages/stores/src/memory/index.ts";
import { type Case, lookUp, type Question } from "./cases.ts";

export const CALLS = 100;

const QUESTIONS: readonly Question[] = Array.from({ length: CALLS }, (_, index) => ({
  city: `city ${index}`,
  days: 3,
}));

/** Plays rounds of one case and says what each cost, in microseconds of CPU. */
export interface RoundPlayer {
  play(): Promise<number>;
  close(): Promise<void>;
}

export async function openCase({ tool, agent }: Case): Promise<RoundPlayer> {
  const env = createNodeEnv();
  const clock = new RoundClock();
  const runtime: Runtime = await createRuntime({
    agents: [defineAgent({ ...agent, id: "bench", model: clock.model, tools: [tool] })],
    store: createMemoryStore(env),
    blobs: createMemoryBlobStore(env),
    env,
  });
  return {
    async play() {
      const { threadId } = await runtime.start({ agent: "bench", input: "How will it be?" }).then(async (run) => {
        const outcome = await run.outcome();
        if (outcome.status !== "done") throw new Error(`The run is ${outcome.status}.`);
        return run;
      });
      await runtime.threads.delete(threadId);
      return clock.take();
    },
    close: () => runtime.close(),
  };
}

/** The same work by hand: all functions at once, each given its arguments as text. */
export async function playBare(): Promise<number> {
  const texts = QUESTIONS.map((question) => JSON.stringify(question));
  const start = process.cpuUsage();
  const answers = await Promise.all(texts.map((text) => lookUp(JSON.parse(text) as Question)));
  const micros = microsSince(start);
  if (answers.length !== CALLS) throw new Error("Not every function was called.");
  return micros;
}

/** A model that asks for all calls in one turn, and measures the time until it is asked again. */
class RoundClock {
  #start: NodeJS.CpuUsage | undefined;
  #micros = Number.NaN;

  readonly model: LanguageModel = {
    id: "asking",
    stream: ({ messages }) => (messages.at(-1)?.role === "tool" ? this.#answer(messages) : this.#ask()),
  };

  take(): number {
    return this.#micros;
  }

  async *#ask(): AsyncGenerator<ModelChunk> {
    for (const [index, question] of QUESTIONS.entries()) {
      const id = `call_${index}`;
      const text = JSON.stringify(question);
      yield { type: "tool_call_start", id, name: "look_up" };
      yield { type: "tool_call_delta", id, args_delta: text };
      yield { type: "tool_call_ready", id, name: "look_up", arguments: text };
    }
    this.#start = process.cpuUsage();
    yield { type: "finish", stop_reason: "tool_use" };
  }

  async *#answer(messages: Parameters<LanguageModel["stream"]>[0]["messages"]): AsyncGenerator<ModelChunk> {
    this.#micros = this.#start === undefined ? Number.NaN : microsSince(this.#start);
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
    const isWhole = results.length === CALLS && results.every((result, index) => result.includes(`"city ${index}"`));
    if (!isWhole) throw new Error("The results are not all there, in order.");
    yield { type: "text_delta", delta: "Sunny." };
    yield { type: "finish", stop_reason: "end_turn" };
  }
}

function microsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
