import fc from "fast-check";
import { expect, it } from "vitest";
import { subjectOf } from "./buffer-subject.ts";

it("gives every pair of ids a subject of its own, of plain tokens and bounded length", () => {
  const id = fc.string({ unit: "binary", minLength: 1, maxLength: 256 }).filter((text) => text.isWellFormed());
  fc.assert(
    fc.property(id, id, id, id, (tenant, thread, otherTenant, otherThread) => {
      const subject = subjectOf("a.b", tenant, thread);
      expect(subject).toMatch(/^a\.b\.[ih][A-Za-z0-9_-]+\.[ih][A-Za-z0-9_-]+$/);
      expect(subject.length).toBeLessThanOrEqual(140);
      const isSame = tenant === otherTenant && thread === otherThread;
      expect(subject === subjectOf("a.b", otherTenant, otherThread)).toBe(isSame);
    }),
  );
});

it("does not let an id pass for the hash of another", () => {
  const long = "x".repeat(100);
  const token = subjectOf("a", long, "t").split(".")[1] ?? "";
  for (const id of [token, token.slice(1)]) expect(subjectOf("a", id, "t")).not.toBe(subjectOf("a", long, "t"));
});
