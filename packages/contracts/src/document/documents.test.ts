import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareIds, pruneDocuments } from "../index.ts";

/** As databases compare texts: byte by byte. */
function compareBytes(one: string, other: string): number {
  const [left, right] = [new TextEncoder().encode(one), new TextEncoder().encode(other)];
  for (let at = 0; ; at += 1) {
    const [byte, rival] = [left[at] ?? -1, right[at] ?? -1];
    if (byte !== rival || byte === -1) return Math.sign(byte - rival);
  }
}

describe("the order of ids", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", "\u00e9", "\ud7ff", "\ue000", "\uffff", "🦊", "\u{10ffff}"),
  });

  it("is that of their bytes", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(Math.sign(compareIds(one, other))).toBe(compareBytes(one, other));
      }),
    );
  });
});

describe("forgetting documents", () => {
  it("continues for as long as there are as many as were asked for", async () => {
    const left = [500, 500, 20, 500];
    expect(await pruneDocuments(async () => left.shift() ?? 0)).toBe(1_020);
    expect(left).toEqual([500]);
    expect(await pruneDocuments(async () => 0)).toBe(0);
  });

  it("stops between two parts when it is told to", async () => {
    const control = new AbortController();
    let parts = 0;
    const forget = async (limit: number): Promise<number> => {
      parts += 1;
      if (parts === 2) control.abort(new Error("enough"));
      return limit;
    };
    await expect(pruneDocuments(forget, control.signal)).rejects.toThrow("enough");
    expect(parts).toBe(2);
  });
});
