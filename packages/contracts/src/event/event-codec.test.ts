import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AgentEvent,
  decodeEvent,
  EVENT_TYPES,
  encodeEvent,
  eventSchema,
  formatCursor,
  isOpaque,
  parseCursor,
  RepriseError,
} from "../index.ts";
import { EVENT_SHAPES, isJournaled } from "./event-shapes.ts";

const SAMPLES: Readonly<Record<string, unknown>> = {
  string: "text",
  number: 1,
  "number or null": null,
  boolean: true,
  object: { type: "natural_end" },
  array: [],
  json: null,
};

/** An event of each type with every field it can have. */
function sample(type: (typeof EVENT_TYPES)[number]): AgentEvent {
  const fields = Object.entries(EVENT_SHAPES[type]).map(([name, shape]) => [name, SAMPLES[shape.replace("?", "")]]);
  const seq = isJournaled(type) ? { seq: 7 } : {};
  const envelope = { type, run_id: "r1", thread_id: "t1", ...seq, timestamp_ms: 5, step_id: "s1" };
  const data = Object.fromEntries(fields);
  return (Object.keys(data).length === 0 ? envelope : { ...envelope, data }) as AgentEvent;
}

describe("the event codec", () => {
  it.each(EVENT_TYPES)("reads what it wrote: %s", (type) => {
    expect(decodeEvent(encodeEvent(sample(type)))).toEqual(sample(type));
  });

  it("leaves out data that is empty", () => {
    const event: AgentEvent = { type: "step_end", run_id: "r", thread_id: "t", seq: 1, timestamp_ms: 0, data: {} };
    expect(encodeEvent(event)).toBe('{"type":"step_end","run_id":"r","thread_id":"t","seq":1,"timestamp_ms":0}');
  });

  it("keeps an unknown type as it came", () => {
    const text = '{"type":"from_the_future","seq":1,"data":{"x":1}}';
    const event = decodeEvent(text);
    expect(isOpaque(event) && JSON.stringify(event.event)).toBe(text);
  });

  it.each([
    "",
    "null",
    "[]",
    "{}",
    '{"type":"text_delta"}',
    '{"type":"text_delta","run_id":"r","thread_id":"t","seq":1,"timestamp_ms":0,"data":{"delta":5}}',
    '{"type":"text_delta","run_id":"r","thread_id":"t","timestamp_ms":0,"data":{"delta":"x"}}',
    '{"type":"stream_reset","run_id":"r","thread_id":"t","seq":1,"timestamp_ms":0,"data":{"from_seq":1}}',
    '{"type":"step_end","run_id":"r","thread_id":"t","seq":1,"timestamp_ms":0,"data":[]}',
    `{"type":"text_delta","run_id":"r","thread_id":"t","seq":1,"timestamp_ms":0,"data":${"[".repeat(99)}${"]".repeat(99)}}`,
  ])("refuses %s", (text) => {
    let thrown: unknown;
    try {
      decodeEvent(text);
    } catch (error) {
      thrown = error;
    }
    expect(RepriseError.is(thrown, "CORRUPT_DATA")).toBe(true);
  });

  it("writes lines that are well formed whatever a model says", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (delta) => {
        const event: AgentEvent = {
          type: "text_delta",
          run_id: "r",
          thread_id: "t",
          seq: 1,
          timestamp_ms: 0,
          data: { delta },
        };
        const line = encodeEvent(event);
        expect(line.isWellFormed()).toBe(true);
        expect(line).not.toContain("\n");
        expect(decodeEvent(line)).toEqual({ ...event, data: { delta: delta.toWellFormed() } });
      }),
    );
  });
});

describe("the event schema", () => {
  const validate = new Ajv2020({ strict: false }).compile(eventSchema());

  it.each(EVENT_TYPES)("accepts %s and refuses it without its data", (type) => {
    expect(validate(sample(type)), JSON.stringify(validate.errors)).toBe(true);
    const needsData = Object.values(EVENT_SHAPES[type]).some((shape) => !shape.endsWith("?"));
    expect(validate({ ...sample(type), data: undefined })).toBe(!needsData);
  });
});

describe("cursors", () => {
  it("are read as they were written, also for run ids with colons", () => {
    for (const cursor of [
      { run_id: "r1", epoch: 1, seq: 0 },
      { run_id: "a:b:3", epoch: 12, seq: 345 },
    ]) {
      expect(parseCursor(formatCursor(cursor))).toEqual(cursor);
    }
  });

  it.each(["", "r1", "r1:1", ":1:2", "r1:x:2", "r1:1:-2", "r1:1:9999999999999999"])(
    "does not take %j for one",
    (text) => {
      expect(parseCursor(text)).toBeUndefined();
    },
  );
});

describe("issue 14.15: facts have payload schemas", () => {
  const isValid = new Ajv2020({ strict: false }).compile(eventSchema());
  const facts = EVENT_TYPES.filter((type) =>
    [
      "context_resolved",
      "model_routed",
      "model_waiting",
      "definition_changed",
      "agent_handoff",
      "budget_warning",
      "cost_recorded",
      "permission_evaluated",
      "compaction_started",
      "compaction_completed",
      "compaction_failed",
      "guardrail_tripped",
      "hook_completed",
      "tool_catalog_resolved",
    ].includes(type),
  );

  it.each(facts)("%s with its fields is taken", (type) => {
    expect(isValid(sample(type))).toBe(true);
  });

  it("refuses a model_routed without its fields, in the schema and in the decoder", () => {
    const { data: _data, ...bare } = sample("model_routed");
    for (const event of [bare, { ...bare, data: {} }, { ...bare, data: { requested: "m" } }]) {
      expect(isValid(event)).toBe(false);
      expect(() => decodeEvent(JSON.stringify(event))).toThrow(RepriseError);
    }
  });

  it.each(facts.filter((type) => type !== "context_resolved"))(
    "refuses %s when any needed field is missing",
    (type) => {
      const whole = sample(type);
      for (const [field, shape] of Object.entries(EVENT_SHAPES[type])) {
        const { [field]: _left, ...data } = (whole.data ?? {}) as Record<string, unknown>;
        expect([field, isValid({ ...whole, data })]).toEqual([field, shape.endsWith("?")]);
      }
    },
  );
});
