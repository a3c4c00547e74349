import type { StoreSignal } from "@reprise/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeSignals, encodeSignals } from "./signal-codec.ts";

const id = fc.string({ minLength: 1, maxLength: 256, unit: "grapheme" });
const signal = fc.record<StoreSignal>(
  { tenant: id, thread_id: id, kind: fc.constantFrom("work", "inbox", "commit"), run_id: id },
  { requiredKeys: ["tenant", "thread_id", "kind"] },
);

it("gives others every signal back, each once, in payloads that Postgres takes", () => {
  fc.assert(
    fc.property(fc.array(signal, { maxLength: 60 }), (signals) => {
      const payloads = encodeSignals("me", signals);
      for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
      const told = payloads.flatMap((payload) => decodeSignals("other", payload));
      const distinct = new Map(signals.map((item) => [JSON.stringify(Object.entries(item).toSorted()), item]));
      expect(told).toHaveLength(distinct.size);
      expect(told).toEqual(expect.arrayContaining([...distinct.values()]));
      expect(payloads.flatMap((payload) => decodeSignals("me", payload))).toEqual([]);
    }),
  );
});

it("takes what is not of us for nothing", () => {
  for (const payload of ["", "no json", "null", "{}", '["x",["q","t","y"]]', '["x",null]']) {
    expect(decodeSignals("me", payload)).toEqual([]);
  }
});
