import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { observability } from "@reprise/plugins/observability";
import { defineTool } from "@reprise/runtime";
import { eventually } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { openAgent } from "./support/open-agent.ts";
import { registerTracing } from "./support/traced-runs.ts";

const read = defineTool({ id: "read", description: "Reads.", class: "read_only", execute: () => "text" });
const OPTIONS = { plugins: [observability()], tools: [read], script: [[{ call: "read" }], "done"] };

interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A collector that takes OTLP over HTTP as JSON, and answers each request as it is told. */
async function openCollector(answer: "takes" | "refuses" | "hangs" | "hangs up") {
  const spans: ReceivedSpan[] = [];
  const paths = new Set<string>();
  let requests = 0;
  const server: Server = createServer(async (request, response) => {
    requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (answer === "hangs") return;
    if (answer === "hangs up") return void request.socket.destroy();
    if (answer === "refuses") return void response.writeHead(500).end("no");
    paths.add(`${request.method} ${request.url} ${request.headers["content-type"]}`);
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  return { server, url, spans, paths, requests: () => requests };
}

function exportTo(url: string) {
  return registerTracing([new SimpleSpanProcessor({ exporter: new OTLPTraceExporter({ url, timeoutMillis: 500 }) })]);
}

it("reaches a collector over OTLP/HTTP, with parents, times and attributes as they were", async () => {
  const collector = await openCollector("takes");
  const tracing = exportTo(collector.url);
  const { run } = await openAgent(OPTIONS);
  const outcome = await run();
  await tracing.flush();
  await eventually(() => expect(collector.spans).toHaveLength(4));
  expect([...collector.paths]).toEqual(["POST /v1/traces application/json"]);
  const whole = collector.spans.find(({ name }) => name === "invoke_agent agent");
  const below = collector.spans.filter((span) => span !== whole);
  expect(below.map(({ name }) => name).toSorted()).toEqual(["chat scripted", "chat scripted", "execute_tool read"]);
  expect(new Set(below.map(({ parentSpanId, traceId }) => `${parentSpanId} ${traceId}`))).toEqual(
    new Set([`${whole?.spanId} ${whole?.traceId}`]),
  );
  for (const span of below)
    expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(whole?.endTimeUnixNano ?? 0));
  expect(whole?.attributes).toContainEqual({
    key: "reprise.run.id",
    value: { stringValue: outcome.run?.run_id },
  });
});

it.each(["refuses", "hangs", "hangs up"] as const)("leaves runs alone when the collector %s", async (answer) => {
  const collector = await openCollector(answer);
  exportTo(collector.url);
  const { run, verify } = await openAgent(OPTIONS);
  const outcome = await run();
  expect(outcome).toMatchObject({ status: "done", text: "done" });
  expect(await verify(outcome)).toMatchObject({ equal: true });
  await eventually(() => expect(collector.requests()).toBeGreaterThan(0));
});

it("leaves runs alone when the collector is killed between two of them", async () => {
  const collector = await openCollector("takes");
  exportTo(collector.url);
  const { run } = await openAgent({
    ...OPTIONS,
    script: [[{ call: "read" }], "done", [{ call: "read" }], "done again"],
  });
  expect(await run()).toMatchObject({ status: "done" });
  collector.server.closeAllConnections();
  await new Promise<void>((resolve) => void collector.server.close(() => resolve()));
  expect(await run()).toMatchObject({ status: "done", text: "done again" });
});
