// The server that the conformance runners test: the tools that they ask for, as tools of an agent of Reprise. Says where it listens.
import { setTimeout as sleep } from "node:timers/promises";
import {
  createRuntime,
  defineAgent,
  defineTool,
  type JsonObject,
  memory,
  scriptedModel,
  suspendTool,
  ToolError,
} from "reprise";
import { toolResult } from "reprise/advanced";
import { createServer } from "reprise/server";
import { listen } from "reprise/server/node";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

const text = (said: string) => ({ type: "text", text: said });
const image = { type: "image", data: PIXEL, mimeType: "image/png" };
const audio = { type: "audio", data: SILENCE, mimeType: "audio/wav" };
const resource = (uri: string, mimeType: string, said: string) => ({
  type: "resource",
  resource: { uri, mimeType, text: said },
});

/** A tool that gives content as a tool of another MCP server does. */
function contentTool(id: string, content: readonly JsonObject[]) {
  return defineTool({
    id,
    description: `Gives ${content.map(({ type }) => type).join(", ")}.`,
    class: "read_only",
    execute: () =>
      toolResult({
        tool_name: id,
        status: "success",
        data: null,
        message: null,
        metadata: { "mcp.result.content": content },
      }),
  });
}

/** A tool that asks a person, and tells what they said. */
function askingTool(id: string, message: (input: { message?: string }) => string, properties: JsonObject) {
  return defineTool({
    id,
    description: "Asks.",
    inputSchema: { type: "object", properties: { message: { type: "string" }, filename: { type: "string" } } },
    execute: (input: { message?: string }, { decision }) => {
      if (decision !== undefined) return `User response: state-ok ${JSON.stringify(decision.result)}`;
      const responseSchema = { type: "object", properties, required: Object.keys(properties) };
      return suspendTool({ action: "input", message: message(input), responseSchema });
    },
  });
}

const choices = ["option1", "option2", "option3"];
const titled = (noun: string) =>
  ["First", "Second", "Third"].map((which, at) => ({ const: `value${at + 1}`, title: `${which} ${noun}` }));

const tools = [
  contentTool("test_simple_text", [text("This is a simple text response for testing.")]),
  contentTool("test_image_content", [image]),
  contentTool("test_audio_content", [audio]),
  contentTool("test_embedded_resource", [
    resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ]),
  contentTool("test_multiple_content_types", [
    text("Multiple content types test:"),
    image,
    resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ]),
  defineTool({
    id: "test_tool_with_progress",
    description: "Tells how far it is.",
    async execute(_, { progress }) {
      for (const at of [0, 50, 100]) {
        progress({ progress: at, total: 100, message: `${at} of 100` });
        await sleep(50);
      }
      return "done";
    },
  }),
  defineTool({
    id: "test_error_handling",
    description: "Fails.",
    execute: () => new ToolError("execution_failed", "This tool intentionally returns an error for testing"),
  }),
  askingTool("test_elicitation", ({ message = "" }) => message, {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  }),
  askingTool("test_elicitation_sep1034_defaults", () => "Please confirm.", {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  }),
  askingTool("test_elicitation_sep1330_enums", () => "Please choose.", {
    untitledSingle: { type: "string", enum: choices },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: choices } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  }),
  askingTool("test_streaming_elicitation", () => "Please confirm.", { ok: { type: "boolean" } }),
  askingTool("test_input_required_result_elicitation", () => "What is your name?", { name: { type: "string" } }),
  askingTool("test_input_required_result_request_state", () => "Please confirm.", { ok: { type: "boolean" } }),
  askingTool("test_input_required_result_tampered_state", () => "Please confirm.", { ok: { type: "boolean" } }),
  defineTool({
    id: "test_input_required_result_multi_round",
    description: "Asks twice.",
    execute: (_, { decision }) => {
      const ask = (field: string) =>
        suspendTool({
          action: "input",
          message: `What is your ${field}?`,
          responseSchema: { type: "object", properties: { [field]: { type: "string" } }, required: [field] },
          again: true,
        });
      if (decision === undefined) return ask("name");
      return JSON.stringify(decision.result).includes("name") ? ask("color") : "done";
    },
  }),
  contentTool("test_logging_tool", [text("Nothing is logged.")]),
  askingTool("confirm_delete", () => "Delete it?", { confirm: { type: "boolean" } }),
  defineTool({
    id: "json_schema_2020_12_tool",
    description: "Tool with JSON Schema 2020-12 features",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    execute: () => "fine",
  }),
  defineTool({
    id: "route",
    description: "Has an argument that proxies see in a header.",
    inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
    execute: ({ region = "anywhere" }: { region?: string }) => `routed to ${region}`,
  }),
  defineTool({
    id: "greet",
    description: "Greets.",
    inputSchema: { type: "object", properties: { name: { type: "string" } } },
    execute: ({ name = "you" }: { name?: string }) => `Hello, ${name}!`,
  }),
  defineTool({
    id: "slow_compute",
    description: "Computes for some seconds.",
    inputSchema: { type: "object", properties: { seconds: { type: "number" }, label: { type: "string" } } },
    async execute({ seconds = 1 }: { seconds?: number }, { signal }) {
      await sleep(seconds * 1_000, undefined, { signal });
      return "computed";
    },
  }),
  defineTool({
    id: "failing_job",
    description: "Fails after a second.",
    async execute() {
      await sleep(1_000);
      return new ToolError("execution_failed", "The job failed.");
    },
  }),
];
const fixture = defineAgent({ id: "fixture", model: scriptedModel(["fine"]), tools });
const runtime = await createRuntime({ agents: [fixture], store: memory() });
const selected = tools.map(({ descriptor }) => ({ agent: "fixture", tool: descriptor.id }));
const mcp = { agents: [], tools: selected, taskAfterMs: 400 };
const { url } = await listen(createServer({ runtime, mcp }), { port: 0 });
console.log(url);
