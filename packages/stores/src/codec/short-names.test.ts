import fc from "fast-check";
import { expect, it } from "vitest";
import { restoreName, shortenNames } from "./short-names.ts";

const key = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("run_id", "$", "$0", "$$0", '"run_id', '"$0', 'a":"run_id', "\\", '\\"run_id', "__proto__", "$zz"),
);

it("gives back the text it was given, whatever its keys and strings are", () => {
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      key,
      fc.integer(),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const json = JSON.stringify(value);
      expect(shortenNames(json).replace(/"\$[^"]*/g, restoreName)).toBe(json);
    }),
    { numRuns: 500 },
  );
});

it("makes words it knows short, keys and values", () => {
  expect(shortenNames('{"run_id":"running","mine":{"thread_id":1,"$0":"$a"}}')).toBe(
    '{"$a":"$y","mine":{"$b":1,"$$0":"$$a"}}',
  );
});
