import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeLine, encodeLine } from "./log-line.ts";

const line = fc.record({
  rows: fc.jsonValue({ stringUnit: "binary" }),
  content: fc.option(fc.array(fc.string({ unit: "binary" })), { nil: undefined }),
  durable: fc.nat(),
});

type Line = typeof line extends fc.Arbitrary<infer Value> ? Value : never;

function encode({ rows, content, durable }: Line): Buffer {
  return encodeLine(JSON.stringify(rows), content && JSON.stringify(content), durable);
}

describe("a line of a log", () => {
  it("is one line of JSON, and gives back what was written", () => {
    fc.assert(
      fc.property(line, (written) => {
        const bytes = encode(written);
        expect(bytes.indexOf("\n")).toBe(bytes.length - 1);
        expect(Array.isArray(JSON.parse(bytes.toString("utf8")))).toBe(true);
        const read = decodeLine(bytes);
        expect(read).toMatchObject({ durable: written.durable, isContentSound: true });
        expect(JSON.stringify(read?.rows)).toBe(JSON.stringify(JSON.parse(JSON.stringify(written.rows))));
        expect(read?.content.toString("utf8")).toBe(JSON.stringify(written.content ?? 0));
      }),
    );
  });

  it("is not taken for sound when a byte of it changed, anywhere", () => {
    fc.assert(
      fc.property(line, fc.nat(), fc.integer({ min: 1, max: 255 }), (written, place, mask) => {
        const bytes = encode(written);
        const at = place % (bytes.length - 1);
        bytes[at] = (bytes[at] ?? 0) ^ mask;
        expect(decodeLine(bytes)?.isContentSound ?? false).toBe(false);
      }),
    );
  });

  it("is not taken for sound when it is longer or shorter than it was", () => {
    const bytes = encodeLine('[{"row":1}]', '["content"]', 7);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(decodeLine(bytes.subarray(0, length))?.isContentSound ?? false).toBe(false);
    }
    expect(decodeLine(Buffer.concat([bytes.subarray(0, -1), bytes]))?.isContentSound).toBe(false);
  });

  it("gives its rows when only its content changed", () => {
    const bytes = encodeLine('[{"row":1}]', '["content"]', 7);
    const at = bytes.indexOf("content");
    bytes[at] = 0;
    expect(decodeLine(bytes)).toMatchObject({ rows: [{ row: 1 }], isContentSound: false });
  });

  it("is refused when a newer version wrote it", () => {
    expect(() => decodeLine(encodeLine("[]", undefined, 0, 2))).toThrow(
      expect.objectContaining({ code: "FORMAT_TOO_NEW", details: { format: 2, supported: 1 } }),
    );
  });
});
