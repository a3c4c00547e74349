import { RepriseError } from "@reprise/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeText, unescapeText } from "./escape-text.ts";
import { readText, STORED_FORMAT, storeText } from "./stored-text.ts";

function refusalOf(read: () => unknown): RepriseError {
  try {
    read();
  } catch (error) {
    if (RepriseError.is(error)) return error;
  }
  throw new Error("It was read.");
}

describe("a stored text", () => {
  it("is read as it was stored", () => {
    expect(readText("run", storeText("{}"))).toBe("{}");
  });

  it("is found out when any character of it changes", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: "binary" }),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 1 }),
        (body, at, other) => {
          const place = at % body.length;
          fc.pre(body[place] !== other);
          const changed = body.slice(0, place) + other + body.slice(place + 1);
          // Half characters are one and the same in UTF-8; sealed texts have none.
          fc.pre(body.isWellFormed() && changed.isWellFormed());
          const stored = { ...storeText(body), body: changed };
          expect(refusalOf(() => readText("messages", stored)).details).toMatchObject({ damage: true });
        },
      ),
    );
  });

  it("is refused, and not called damaged, when its format is newer", () => {
    const { details } = refusalOf(() => readText("run", { ...storeText("{}"), format: STORED_FORMAT + 1 }));
    expect(details).toEqual({ kind: "run", format: STORED_FORMAT + 1, supported: STORED_FORMAT });
  });

  it("is brought to today's format step by step", () => {
    const old = { ...storeText("1"), format: STORED_FORMAT - 2 };
    const steps = {
      [STORED_FORMAT - 2]: (body: string) => `${body}2`,
      [STORED_FORMAT - 1]: (body: string) => `${body}3`,
    };
    expect(readText("run", old, { run: steps })).toBe("123");
    expect(readText("calls", old, { run: steps })).toBe("1");
  });
});

it("escapes free text so that databases take it, and back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (one, other) => {
      expect(unescapeText(escapeText(one))).toBe(one);
      expect(escapeText(one) === escapeText(other)).toBe(one === other);
      expect(escapeText(one)).not.toContain("\u0000");
      expect(escapeText(one).isWellFormed()).toBe(true);
    }),
  );
  expect(escapeText("user@example.com")).toBe("user@example.com");
});
