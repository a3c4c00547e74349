import { connect, headers } from "@nats-io/transport-node";
import { createRuntime, defineAgent, memory, scriptedModel } from "../../packages/reprise/src/index.ts";
import { openNatsGateway } from "../../packages/reprise/src/server/nats.ts";
import { listen } from "../../packages/reprise/src/server/node.ts";
import { createServer } from "../../packages/reprise/src/server.ts";
import { startNats } from "../../packages/stores/test/nats/start-nats.ts";
import { findService } from "../../scripts/services/find-service.mjs";

// Asks the same server for the same run over HTTP and over NATS by turns, and compares how long each takes from the request to the last event.

const ROUNDS = 400;
const WARM = 100;
const TARGET = 1.5;

const service = findService("nats");
if (!service.found) throw new Error(service.reason);
const broker = await startNats(service, { hasJetStream: false });
const agent = defineAgent({ id: "bench", model: scriptedModel(() => [{ text: ["one ", "two ", "three."] }]) });
const runtime = await createRuntime({ agents: [agent], store: memory() });
const limits = { requestsPerAddress: 1_000_000, requestsPerPrincipal: 1_000_000 };
const server = createServer({ runtime, limits });
const listening = await listen(server, { port: 0 });
const gateway = await openNatsGateway({ server, nats: { servers: broker.url } });
const client = await connect({ servers: broker.url });
const sentinel = headers();
sentinel.set("reprise-sentinel", "true");

async function overHttp(id: string): Promise<void> {
  const body = JSON.stringify({ id, messages: [{ role: "user", content: "go" }] });
  const options = { method: "POST", body, headers: { "content-type": "application/json" } };
  const text = await (await fetch(`${listening.url}/v1/ai-sdk/agents/bench/runs`, options)).text();
  if (!text.includes('"finish"')) throw new Error(text);
}

async function overNats(id: string): Promise<void> {
  const payload = JSON.stringify({ agentId: "bench", sessionId: id, input: "go" });
  const options = { strategy: "sentinel", maxWait: 10_000, headers: sentinel } as const;
  let last = "";
  for await (const message of await client.requestMany("agentos.ai-sdk.runs", payload, options))
    if (message.data.length > 0) last = message.string();
  if (!last.includes('"finish"')) throw new Error(last);
}

async function time(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

const [http, nats]: [number[], number[]] = [[], []];
for (let round = -WARM; round < ROUNDS; round += 1) {
  const [one, other] = [await time(() => overHttp(`h${round}`)), await time(() => overNats(`n${round}`))];
  if (round < 0) continue;
  http.push(one);
  nats.push(other);
}
const ratio = quantile(nats, 0.5) / quantile(http, 0.5);
const row = (name: string, times: readonly number[]): string =>
  `| ${name} | ${quantile(times, 0.5).toFixed(2)} | ${quantile(times, 0.95).toFixed(2)} |`;
console.log(`| over | median ms | 95 % ms |\n|---|---:|---:|\n${row("HTTP", http)}\n${row("NATS", nats)}`);
console.log(
  `\nNATS takes ${ratio.toFixed(2)} times as long as HTTP; the target is ${TARGET} at most: ${ratio <= TARGET ? "met" : "MISSED"}.`,
);
if (ratio > TARGET) process.exitCode = 1;
await client.close();
await gateway.close();
await listening.close();
await runtime.close();
await broker.stop();
