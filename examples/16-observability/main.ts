// Prints the spans of a run that waits for an approval and continues: one trace, with links between its parts.
import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { createRuntime, defineAgent, defineTool, scriptedModel } from "reprise";
import { observability } from "reprise/plugins/observability";

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));

const look = defineTool({ id: "look", description: "Looks around.", class: "read_only", execute: () => "a cat" });
const feed = defineTool({ id: "feed", description: "Feeds a cat.", needsApproval: true, execute: () => "it purrs" });
const model = scriptedModel([[{ call: "look" }, { call: "look" }], [{ call: "feed" }], "The cat was fed."]);
const keeper = defineAgent({ id: "keeper", model, tools: [look, feed], plugins: [observability()] });
const runtime = await createRuntime({ agents: [keeper] });

const run = await runtime.start({ agent: "keeper", threadId: "t1", input: "Feed the cat." });
await run.outcome();
const [question] = await runtime.decisions.list();
if (question !== undefined) await runtime.decisions.decide(question.id, { action: "approve" });
const outcome = await run.outcome();
console.log(outcome.status === "done" ? outcome.text : outcome.status);
await runtime.close();

// In the order in which they ended.
const spans = exporter.getFinishedSpans();
const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
function print(parent: string | undefined, depth: number): void {
  const below = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent);
  for (const span of below) {
    const outcome = span.attributes["reprise.tool.outcome"] ?? span.attributes["reprise.termination"] ?? "";
    const links = span.links.map(({ context }) => `follows "${names.get(context.spanId)}"`);
    console.log([`${"  ".repeat(depth)}${span.name}`, outcome, ...links].filter((part) => part !== "").join(" · "));
    print(span.spanContext().spanId, depth + 1);
  }
}

print(undefined, 0);
console.log(`traces: ${new Set(spans.map((span) => span.spanContext().traceId)).size}`);
