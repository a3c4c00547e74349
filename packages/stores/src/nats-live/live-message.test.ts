import type { AgentEvent } from "@reprise/contracts";
import { expect, it } from "vitest";
import { decodeAsk, decodeLive, encodeAsk, encodeLive, subjectOf } from "./live-message.ts";

const OF_RUN = { run_id: "r", thread_id: "t", timestamp_ms: 1 };

it.each<AgentEvent>([
  { ...OF_RUN, type: "text_delta", seq: 1, data: { delta: "half \ud800 and\nlines" } },
  { ...OF_RUN, type: "step_end", seq: 2, data: {} },
  { ...OF_RUN, type: "run_finish", seq: 3, data: { termination: { type: "natural_end" } } },
])("gives back what was sent: $type", (event) => {
  expect(decodeLive(encodeLive({ epoch: 3, event }))).toEqual({ epoch: 3, event });
});

it.each(["", "x", "\n{}", "-1\n{}", "1\nnot JSON", '1\n{"type":"text_delta"}', '1\n{"type":"from_the_future"}'])(
  "takes nothing from %j",
  (text) => {
    expect(decodeLive(text)).toBeUndefined();
  },
);

it("has a subject for any id, and reads what it wrote of one", () => {
  const key = { tenant: "späti > *", run_id: "a.b c" };
  expect(subjectOf("reprise.live", key)).toMatch(/^reprise\.live\.run\.[A-Za-z0-9_-]{43}$/);
  expect(subjectOf("p", { tenant: "a", run_id: "bc" })).not.toBe(subjectOf("p", { tenant: "ab", run_id: "c" }));
  expect(decodeAsk(encodeAsk(key))).toEqual(key);
  for (const text of ["", "[]", '["a"]', '["a",1]', "{}"]) expect(decodeAsk(text)).toBeUndefined();
});
