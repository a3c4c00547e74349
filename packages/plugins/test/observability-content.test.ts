import { observability } from "@reprise/plugins/observability";
import { defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { openAgent } from "./support/open-agent.ts";
import { registerTracing } from "./support/traced-runs.ts";

const KEY = "sk-live-4f9a8b7c6d5e";

const send = defineTool({
  id: "send",
  description: "Sends a letter.",
  inputSchema: { type: "object", properties: { to: { type: "string" }, password: { type: "string" } } },
  execute: ({ to }: { to: string }) => ({ sent: to, body: JSON.stringify({ api_key: "q1w2e3r4t5" }) }),
});

/** Runs a tool and a failing model, with personal data and credentials in every text. */
async function trace(options: Parameters<typeof observability>[0]): Promise<string> {
  const tracing = registerTracing();
  const { run } = await openAgent({
    plugins: [observability(options)],
    tools: [send],
    agent: { instructions: "You write for ACME." },
    script: [
      [
        { text: `Mail to Ann, key ${KEY}.` },
        { call: "send", arguments: { to: "ann@example.com", password: "hunter22" } },
      ],
      [{ fail: "invalid_request" }],
    ],
  });
  await run("Write to ann@example.com.");
  return JSON.stringify(
    tracing.spans().map(({ name, attributes, status, events }) => [name, attributes, status, events]),
  );
}

it("keeps prompts, answers, arguments and results out of spans unless it is asked for them", async () => {
  const spans = await trace({});
  for (const content of ["ann@example.com", "Ann", KEY, "hunter22", "ACME", "q1w2e3r4t5", "Sends a letter to"]) {
    expect(spans).not.toContain(content);
  }
});

it("captures content in the shape of the conventions, without the credentials in it", async () => {
  const tracing = registerTracing();
  const { run } = await openAgent({
    plugins: [observability({ captureContent: true })],
    tools: [send],
    agent: { instructions: "You write for ACME." },
    script: [
      [{ call: "send", arguments: { to: "ann@example.com", password: "hunter22" } }],
      `Done, key ${KEY} was used.`,
    ],
  });
  const outcome = await run("Write to ann@example.com.");
  const parse = (text: unknown): unknown => JSON.parse(String(text));
  const [, first, tool, last] = tracing.spans().map(({ attributes }) => attributes);
  const callId = `${outcome.run?.run_id}-s1-c0`;
  const given = { to: "ann@example.com", password: "[redacted]" };
  expect(parse(first?.["gen_ai.system_instructions"])).toEqual([{ type: "text", content: "You write for ACME." }]);
  expect(parse(first?.["gen_ai.tool.definitions"])).toMatchObject([{ type: "function", name: "send" }]);
  expect(parse(first?.["gen_ai.output.messages"])).toEqual([
    { role: "assistant", parts: [{ type: "tool_call", name: "send", arguments: given }], finish_reason: "tool_use" },
  ]);
  expect(parse(tool?.["gen_ai.tool.call.arguments"])).toEqual(given);
  expect(String(tool?.["gen_ai.tool.call.result"])).not.toContain("q1w2e3r4t5");
  expect(parse(last?.["gen_ai.input.messages"])).toMatchObject([
    { role: "user", parts: [{ type: "text", content: "Write to ann@example.com." }] },
    { role: "assistant", parts: [{ type: "tool_call", id: callId, name: "send", arguments: given }] },
    { role: "tool", parts: [{ type: "tool_call_response", id: callId }] },
  ]);
  expect(parse(last?.["gen_ai.output.messages"])).toMatchObject([
    { parts: [{ type: "text", content: "Done, key [redacted] was used." }] },
  ]);
  expect(JSON.stringify(tracing.spans().map(({ attributes }) => attributes))).not.toMatch(
    /hunter22|q1w2e3r4t5|sk-live/,
  );
});

it("has the host redact what it captures, text by text", async () => {
  const spans = await trace({ captureContent: true, redact: (text) => text.replaceAll(/\S+@\S+/g, "<mail>") });
  expect(spans).toContain("Write to <mail>");
  expect(spans).not.toContain("ann@example.com");
});

it("cuts content that would make a span too large to export", async () => {
  const tracing = registerTracing();
  const { run } = await openAgent({ plugins: [observability({ captureContent: true })] });
  await run("x".repeat(1_000_000));
  expect(String(tracing.spans()[1]?.attributes["gen_ai.input.messages"]).length).toBeLessThan(40_000);
});

it("refuses options and sections that do not exist", () => {
  expect(() => observability({ conventions: "1.0" as never })).toThrow(
    'Plugin observability has an invalid option: conventions must be one of latest, 1.36 (got "1.0").',
  );
  expect(() => observability({ captureContents: true } as never)).toThrow("captureContents");
});
