import { buildCall, buildChangeset, buildMessage, buildRun } from "@reprise/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sealChangeset } from "../codec/seal-changeset.ts";
import { type CommitMessage, decodeMessage, encodeMessage, survivesJson } from "./buffer-message.ts";

function messageOf(content: string): CommitMessage {
  const run = buildRun({ run_id: "run-1", thread_id: "thread-1" });
  const changeset = buildChangeset({
    messages: [buildMessage("m1", { content })],
    runs: [{ ...run, metadata: { note: content } }],
    calls: [buildCall({ run_id: "run-1", arguments: { text: content } })],
  });
  return {
    kind: "commit",
    tenant: "t",
    thread_id: "thread-1",
    epoch: 3,
    version: 7,
    changeset: sealChangeset(changeset),
  };
}

describe("a buffered commit", () => {
  it("comes back as it was, whatever is in it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (content) => {
        const message = messageOf(content);
        expect(decodeMessage(encodeMessage(message))).toEqual(message);
      }),
    );
  });

  it("is found to be damaged wherever a byte of it is another one, and mostly says which version it was", () => {
    const bytes = encodeMessage(messageOf("hello"));
    const start = bytes.indexOf("\n".charCodeAt(0)) + 1;
    fc.assert(
      fc.property(fc.integer({ min: start, max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const damaged = Uint8Array.from(bytes);
        damaged[at] = ((damaged[at] ?? 0) + by) % 256;
        expect(decodeMessage(damaged)).toEqual({ kind: "damaged", version: 7 });
      }),
    );
    expect(decodeMessage(new Uint8Array([255, 0, 1]))).toEqual({ kind: "damaged", version: 0 });
    expect(decodeMessage(new Uint8Array())).toEqual({ kind: "damaged", version: 0 });
  });

  it("is refused when a newer version wrote it", () => {
    const tooNew = expect.objectContaining({ code: "FORMAT_TOO_NEW" });
    expect(() => decodeMessage(new TextEncoder().encode("2 1 7\n{}"))).toThrow(tooNew);
  });
});

it("knows which values JSON would change", () => {
  for (const value of [1, "a", null, true, [1, { a: [2] }], {}, undefined]) expect(survivesJson(value)).toBe(true);
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -0, [{ a: Number.NaN }], 1n]) {
    expect(survivesJson(value)).toBe(false);
  }
});
