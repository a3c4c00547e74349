import { type ModelErrorKind, suspendTool, ToolError, toolEffect, toolFailure, toolResult } from "@reprise/contracts";
import { type ScriptTurn, scriptedModel } from "@reprise/models";
import { defineTool } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import type { NodeErrorCode } from "../../src/document/workflow-document.ts";
import { AGENT, type Bench, execute, NODE } from "../support/agent-bench.ts";

interface Row {
  readonly source: string;
  readonly bench: () => Bench;
  readonly code: NodeErrorCode;
  readonly retryable: boolean;
  /** How often models were asked. */
  readonly asked: number;
}

const CALL: ScriptTurn = [{ call: "act", arguments: {} }];

/** A node with one tool, whose model calls it and then answers. */
function calling(execute: Parameters<typeof defineTool>[0]["execute"], more: object = {}): Bench {
  const act = defineTool({ id: "act", description: "Acts.", execute, ...more });
  return { agent: { tools: ["act"] }, tools: [act], ...answering([CALL, "done"]) };
}

function answering(turns: readonly ScriptTurn[]): Bench {
  return { models: { "acme/large": scriptedModel(turns) } };
}

function cancelling(bench: (cancel: () => void) => Bench): () => Bench {
  return () => {
    const controller = new AbortController();
    return { ...bench(() => controller.abort()), context: { signal: controller.signal } };
  };
}

function model(kind: ModelErrorKind, code: NodeErrorCode, retryable: boolean): Row {
  return {
    source: `a model that fails with ${kind}`,
    bench: () => answering([[{ fail: kind }]]),
    code,
    retryable,
    asked: 1,
  };
}

const LADDER: readonly Row[] = [
  {
    source: "a signal that was aborted before",
    bench: cancelling((cancel) => {
      cancel();
      return answering(["never"]);
    }),
    code: "cancelled",
    retryable: false,
    asked: 0,
  },
  {
    source: "an abort while the model speaks",
    bench: cancelling((cancel) => ({
      models: {
        "acme/large": scriptedModel(() => {
          queueMicrotask(cancel);
          return [{ text: "Tea" }, { stall: true }];
        }),
      },
    })),
    code: "cancelled",
    retryable: false,
    asked: 1,
  },
  {
    source: "an abort while a tool is denied",
    bench: cancelling((cancel) =>
      calling(() => {
        cancel();
        throw new ToolError("denied", "Not allowed.");
      }),
    ),
    code: "cancelled",
    retryable: false,
    asked: 1,
  },
  {
    source: "an abort after the answer, before it is settled",
    bench: cancelling((cancel) => ({
      ...answering(["done"]),
      deps: { preEgress: () => void queueMicrotask(cancel) },
    })),
    code: "cancelled",
    retryable: false,
    asked: 1,
  },
  {
    source: "a tool that says it was cancelled",
    bench: () =>
      calling(() => {
        throw new ToolError("cancelled", "Stopped.");
      }),
    code: "cancelled",
    retryable: false,
    asked: 1,
  },
  model("cancelled", "cancelled", false),
  {
    source: "a tool that a policy denies",
    bench: () =>
      calling(() => {
        throw new ToolError("denied", "Outside of the sandbox.");
      }),
    code: "tool_denied",
    retryable: false,
    asked: 1,
  },
  {
    source: "a tool that returns its denial",
    bench: () => calling(() => toolResult(toolFailure("act", "denied", "Not here."))),
    code: "tool_denied",
    retryable: false,
    asked: 1,
  },
  {
    source: "a tool that needs approval",
    bench: () => calling(() => "never", { needsApproval: true }),
    code: "tool_denied",
    retryable: false,
    asked: 1,
  },
  {
    source: "a tool that asks for a decision",
    bench: () => calling(() => suspendTool({ action: "confirm" })),
    code: "tool_denied",
    retryable: false,
    asked: 1,
  },
  {
    source: "a model that calls an unknown tool beyond its corrections",
    bench: () => answering(Array<ScriptTurn>(10).fill([{ call: "unknown" }])),
    code: "tool_failed",
    retryable: true,
    asked: 4,
  },
  {
    source: "a model that sends invalid arguments beyond its corrections",
    bench: () => ({
      ...calling(() => "never"),
      ...answering(Array<ScriptTurn>(10).fill([{ call: "act", arguments: { wrong: 1 } }])),
    }),
    code: "tool_failed",
    retryable: true,
    asked: 4,
  },
  {
    source: "several wrong calls in one turn, beyond the corrections",
    bench: () => answering([Array.from({ length: 4 }, (_, index) => ({ call: "unknown", id: `c${index}` })), "never"]),
    code: "tool_failed",
    retryable: true,
    asked: 1,
  },
  {
    source: "a tool that throws",
    bench: () =>
      calling(() => {
        throw new Error("disk full");
      }),
    code: "tool_failed",
    retryable: true,
    asked: 1,
  },
  {
    source: "a tool that reports its failure",
    bench: () =>
      calling(() => {
        throw new ToolError("execution_failed", "The service is down.");
      }),
    code: "tool_failed",
    retryable: true,
    asked: 1,
  },
  {
    source: "a tool whose output is no JSON",
    bench: () => calling((() => () => undefined) as () => unknown),
    code: "tool_failed",
    retryable: true,
    asked: 1,
  },
  {
    source: "a tool that needs a capability the host lacks",
    bench: () => calling((_input, { runs }) => runs.agents().length),
    code: "internal",
    retryable: false,
    asked: 1,
  },
  {
    source: "a tool that changes a thread",
    bench: () => calling(() => toolEffect("done", [{ type: "terminate", reason: "enough" }])),
    code: "internal",
    retryable: false,
    asked: 1,
  },
  {
    source: "a provider that the host does not have",
    bench: () => ({ ...answering(["never"]), agent: { fallback_chain: [{ provider: "other", model: "small" }] } }),
    code: "internal",
    retryable: false,
    asked: 0,
  },
  {
    source: "a provider that cannot give its model",
    bench: () => ({ ...answering(["never"]), node: { model: "huge" } }),
    code: "internal",
    retryable: false,
    asked: 0,
  },
  {
    source: "a tool of the agent that the host does not have",
    bench: () => ({ ...answering(["never"]), agent: { tools: ["act"] } }),
    code: "tool_unavailable",
    retryable: false,
    asked: 0,
  },
  model("auth", "provider_auth", false),
  model("quota", "provider_auth", false),
  model("rate_limit", "provider_rate_limit", true),
  model("overloaded", "provider_unavailable", true),
  model("timeout", "provider_unavailable", true),
  model("network", "provider_unavailable", true),
  model("server_error", "provider_unavailable", true),
  model("malformed_response", "provider_unavailable", true),
  model("stream_interrupted", "provider_unavailable", true),
  {
    source: "a stream that breaks after its first word",
    bench: () => ({
      ...answering([[{ text: "Tea is" }, { cut: true }], "never"]),
      agent: { retry: { max: 3 }, fallback_chain: [{ provider: "acme", model: "large" }] },
    }),
    code: "provider_unavailable",
    retryable: true,
    asked: 1,
  },
  model("content_filter", "content_filter", false),
  model("invalid_request", "validation", false),
  model("context_length", "validation", false),
  model("answer_too_large", "internal", false),
  model("unknown", "internal", false),
  {
    source: "a model that never stops calling tools",
    bench: () => ({ ...calling(() => "again"), ...answering(Array<ScriptTurn>(30).fill(CALL)) }),
    code: "turn_limit",
    retryable: false,
    asked: 17,
  },
  {
    source: "an agent that the document does not have",
    bench: () => ({
      ...answering(["never"]),
      context: { vertex: { id: "draft", type: "agent", node: NODE, dependencies: [], dependents: [] } },
    }),
    code: "validation",
    retryable: false,
    asked: 0,
  },
  {
    source: "a node that widens the tools of its agent",
    bench: () => ({ ...calling(() => "never"), agent: { tools: [] }, node: { tools: ["act"] } }),
    code: "validation",
    retryable: false,
    asked: 0,
  },
  {
    source: "a prompt that cannot be filled in",
    bench: () => ({
      ...answering(["never"]),
      node: { prompt_template: "Write about {{ inputs.weather }}." },
    }),
    code: "validation",
    retryable: false,
    asked: 0,
  },
  {
    source: "a prompt that does not fit the input_schema of its agent",
    bench: () => ({
      ...answering(["never"]),
      agent: { input_schema: { type: "object", required: ["topic"], properties: { topic: { type: "number" } } } },
      node: { prompt_template: '{"topic": {{ inputs.topic | json }}}' },
    }),
    code: "validation",
    retryable: false,
    asked: 0,
  },
  {
    source: "an answer that is not JSON",
    bench: () => ({ ...answering(["Sure!"]), node: { output_schema: { type: "object" } } }),
    code: "validation",
    retryable: false,
    asked: 1,
  },
  {
    source: "an answer that is JSON of another shape, deep inside",
    bench: () => ({
      ...answering(['{"items":[{"name":"tea"},{"name":3}]}']),
      agent: {
        output_schema: {
          type: "object",
          properties: { items: { type: "array", items: { properties: { name: { type: "string" } } } } },
        },
      },
    }),
    code: "validation",
    retryable: false,
    asked: 1,
  },
  {
    source: "a schema that is none",
    bench: () => ({ ...answering(["never"]), node: { output_schema: { type: "sausage" } } }),
    code: "validation",
    retryable: false,
    asked: 0,
  },
  {
    source: "a budget that refuses an attempt",
    bench: () => ({
      ...answering(["never"]),
      deps: { preEgress: () => ({ code: "budget_exceeded", message: "Nothing is left.", retryable: false }) },
    }),
    code: "budget_exceeded",
    retryable: false,
    asked: 0,
  },
  {
    source: "a check before the request that throws",
    bench: () => ({
      ...answering(["never"]),
      deps: {
        preEgress: () => {
          throw new Error("no ledger");
        },
      },
    }),
    code: "internal",
    retryable: false,
    asked: 0,
  },
  {
    source: "a node that is no agent",
    bench: () => ({
      ...answering(["never"]),
      context: {
        vertex: {
          id: "end",
          type: "output",
          node: { id: "end", type: "output" },
          dependencies: [],
          dependents: [],
          agent: AGENT,
        },
      },
    }),
    code: "internal",
    retryable: false,
    asked: 0,
  },
];

describe("the failure ladder of agent nodes", () => {
  it.each(LADDER)("$source is $code", async ({ bench: open, code, retryable, asked }) => {
    const bench = open();
    const { outcome } = await execute(bench);
    expect(outcome).toMatchObject({ kind: "failed", error: { code, retryable } });
    const models = Object.values(bench.models ?? {}) as ReturnType<typeof scriptedModel>[];
    expect(models.reduce((sum, { requests }) => sum + requests.length, 0)).toBe(asked);
  });

  it("names the thing that is wrong, and shows no credential", async () => {
    const failure = await execute({
      ...calling(() => {
        throw new Error(
          "GET https://api.example.com failed with Authorization: Bearer sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        );
      }),
    });
    expect(failure.outcome).toMatchObject({
      kind: "failed",
      error: { message: expect.stringContaining("Tool act failed") },
    });
    expect(JSON.stringify([failure.outcome, failure.events])).not.toContain("sk-aaaa");
    const widened = await execute({ ...answering(["never"]), node: { tools: ["delete"] } });
    expect(widened.outcome).toMatchObject({ error: { message: expect.stringContaining("delete") } });
  });
});
