import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isStrictSchema } from "../chat/strict-schema.ts";
import { assignCallIds } from "./call-ids.ts";
import { readModelOptions } from "./model-options.ts";
import { nameTools } from "./tool-names.ts";

describe("options", () => {
  it("are read as they are", () => {
    const options = {
      temperature: 0,
      top_k: 5,
      max_tokens: 10,
      stop_sequences: "END",
      reasoning_effort: { budget: 100 },
      tool_choice: "required",
      prompt_cache: true,
      extra: { a: [1] },
      seed: null,
    };
    expect(readModelOptions("m", options)).toEqual({
      temperature: 0,
      top_k: 5,
      max_tokens: 10,
      stop_sequences: ["END"],
      reasoning_effort: { budget: 100 },
      tool_choice: "required",
      prompt_cache: {},
      extra: { a: [1] },
    });
  });

  it.each([
    ["temperature", "hot"],
    ["max_tokens", 0],
    ["max_tokens", 1.5],
    ["stop_sequences", [1]],
    ["reasoning_effort", "extreme"],
    ["reasoning_effort", { budget: "much" }],
    ["tool_choice", "maybe"],
    ["tool_choice", { tool: "" }],
    ["parallel_tool_calls", "yes"],
    ["prompt_cache", { ttl: "2h" }],
    ["prompt_cache", { time: "5m" }],
    ["prompt_cache", "yes"],
    ["provider_options", { openai: 1 }],
    ["extra", []],
    ["toString", 1],
    ["__proto__", 1],
  ])("%s may not be %j", (name, value) => {
    const options = Object.fromEntries([[name, value]]);
    expect(() => readModelOptions("m", options)).toThrow(`Model m was not asked: the option ${JSON.stringify(name)}`);
  });
});

describe("names of tools", () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90, unit: "binary" }), {
    minLength: 1,
    maxLength: 12,
  });

  it("are ones every provider takes, differ, and lead back", () => {
    fc.assert(
      fc.property(ids, (all) => {
        const names = nameTools(all.map((id) => ({ id })));
        const wire = all.map((id) => names.toWire(id));
        expect(new Set(wire).size).toBe(all.length);
        for (const name of wire) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(wire.map((name) => names.fromWire(name))).toEqual(all);
      }),
    );
  });

  it("stay as they are where they can, whatever comes before", () => {
    const names = nameTools([{ id: "a.b" }, { id: "a_b" }]);
    expect([names.toWire("a.b"), names.toWire("a_b")]).toEqual(["a_b_2", "a_b"]);
  });

  it("are also known for tools that are gone, and unknown ones stay what they are", () => {
    const names = nameTools([]);
    expect([names.toWire("old.tool"), names.fromWire("made_up")]).toEqual(["old_tool", "made_up"]);
  });
});

describe("ids of calls", () => {
  const provider = fc.option(fc.constantFrom("call_1", "call_2", "bad id", "x".repeat(70), "toolu_A"), {
    nil: undefined,
  });

  it("are ones every provider takes, and no two calls share one", () => {
    fc.assert(
      fc.property(fc.array(fc.array(provider, { maxLength: 4 }), { maxLength: 6 }), (rounds) => {
        const messages = rounds.map((calls, round) => ({
          id: `m${round}`,
          role: "assistant" as const,
          content: "",
          tool_calls: calls.map((provider_call_id, index) => ({
            id: `0198f3a2-7c1d-7a4e-9b1f-2c3d4e5f6071-s${round}-c${index}`,
            name: "t",
            arguments: {},
            ...(provider_call_id !== undefined && { provider_call_id }),
          })),
        }));
        const ids = assignCallIds(messages);
        const all = messages.flatMap(({ tool_calls }) => tool_calls.map(({ id }) => ids.toWire(id)));
        expect(new Set(all).size).toBe(all.length);
        for (const id of all) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });
});

describe("a schema is strict", () => {
  const strict = {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };
  it.each([
    ["when all fields are required and no others allowed", strict, true],
    ["when it is no object", { type: "string" }, true],
    ["not when a field may be missing", { ...strict, required: [] }, false],
    ["not when others are allowed", { type: "object", properties: {}, required: [] }, false],
    ["not when something inside is not", { type: "array", items: { type: "object" } }, false],
    ["not when a choice is not", { anyOf: [strict, { type: "object", properties: {} }] }, false],
    ["not when a definition is not", { ...strict, $defs: { x: { type: "object" } } }, false],
  ])("%s", (_, schema, expected) => {
    expect(isStrictSchema(schema)).toBe(expected);
  });
});
