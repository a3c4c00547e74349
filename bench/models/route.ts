import type { LanguageModel, ModelChunk, ModelRequest } from "../../packages/contracts/src/index.ts";
import { createNodeEnv } from "../../packages/node/src/index.ts";
import { buildRoute } from "../../packages/runtime/src/resolve/build-route.ts";
import { readRetry } from "../../packages/runtime/src/resolve/retry.ts";
import { ModelHealth } from "../../packages/runtime/src/route/model-health.ts";
import type { RoutedRequest } from "../../packages/runtime/src/route/model-route.ts";
import { RouteSession } from "../../packages/runtime/src/route/route-session.ts";
import { readAgentSpec } from "../../packages/runtime/src/spec/read-agent-spec.ts";
import { readStream } from "../../packages/runtime/src/turn/read-stream.ts";
import { type Effort, median } from "./measure.ts";

/** What a route with one healthy entry adds to a request, in microseconds. */
export interface RouteOverhead {
  readonly plainUs: number;
  readonly routedUs: number;
  readonly addedUs: number;
}

const REQUESTS = 5_000;

const chunks: readonly ModelChunk[] = [
  { type: "text_delta", delta: "hi" },
  { type: "finish", stop_reason: "end_turn", usage: { prompt_tokens: 10, completion_tokens: 1 } },
];
const plain: LanguageModel = {
  id: "instant",
  async *stream() {
    yield* chunks;
  },
};

/** Takes samples of both by turns: a model that answers at once, and the same behind a route. */
export async function measureRoute({ repetitions }: Effort): Promise<RouteOverhead> {
  const env = createNodeEnv();
  const pricing = { input_per_million: 1, output_per_million: 1 };
  const modelSpec = { id: "instant/one", provider: "instant", model: "one", pricing };
  const routed = buildRoute(
    { primary: { model: plain, modelSpec }, fallbacks: [], retry: readRetry(readAgentSpec({ id: "bench" })) },
    { env, health: new ModelHealth(env.clock) },
  );
  const samples: { readonly plain: number; readonly routed: number }[] = [];
  await ask(plain);
  await ask(routed);
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    samples.push({ plain: await ask(plain), routed: await ask(routed) });
  }
  return {
    plainUs: median(samples.map((sample) => sample.plain)),
    routedUs: median(samples.map((sample) => sample.routed)),
    addedUs: median(samples.map((sample) => sample.routed - sample.plain)),
  };
}

/** Microseconds of CPU a request. */
async function ask(model: LanguageModel): Promise<number> {
  const { signal } = new AbortController();
  const request: ModelRequest = { system: "", messages: [], tools: [], options: {}, signal };
  const before = process.cpuUsage();
  for (let index = 0; index < REQUESTS; index += 1) {
    const routed: RoutedRequest = { ...request, session: new RouteSession("thread") };
    await readStream(routed, { model, idleTimeoutMs: null, after: () => () => undefined }, () => undefined);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}
