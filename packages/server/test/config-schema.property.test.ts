import { configSchema, readConfig } from "@reprise/server/config";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, it } from "vitest";
import { problemsFrom, WHOLE_FILE } from "./support/config-world.ts";

const fits = new Ajv2020().compile(configSchema());

/** Rules that no schema of one value can say; each is a problem of the reader alone. */
const BEYOND_THE_SCHEMA: readonly RegExp[] = [
  /`id` is ".*", as that of `agents\[\d+\]`/,
  /`kind` a2a needs `endpoint`/,
  /needs `endpoint`$/,
  /contradict each other/,
  /`endpoint.backend` differ/,
  /stands inside `endpoint` and beside it/,
  /more than the `context_window`/,
  /a pool has at least one model/,
  /a weight is above 0/,
  /is in it twice/,
];

/** Changes one place of a document, found by taking a turn at every level. */
interface Change {
  readonly turns: readonly number[];
  readonly how: "replace" | "remove" | "add" | "rename";
  readonly value: unknown;
}

const change: fc.Arbitrary<Change> = fc.record({
  turns: fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
  how: fc.constantFrom("replace" as const, "remove" as const, "add" as const, "rename" as const),
  value: fc.oneof(
    fc.constantFrom<unknown>("", " ", "x", 0, 1, -1, 1.5, true, null, [], {}, ["x"], [" "], { kind: "env", name: "A" }),
    fc.constantFrom<unknown>({ kind: "token" }, { id: "z" }, { pool: [{ model: "x" }] }, "http://x.test", "RS256"),
    fc.jsonValue({ maxDepth: 2 }),
  ),
});

function apply(document: unknown, { turns, how, value }: Change): unknown {
  const [turn = 0, ...rest] = turns;
  if (typeof document !== "object" || document === null) return value;
  const keys = Object.keys(document);
  const key = keys[turn % Math.max(keys.length, 1)];
  if (key === undefined) return Array.isArray(document) ? [value] : { added: value };
  const entries = Object.entries(document).flatMap(([name, entry]): readonly (readonly [string, unknown])[] => {
    if (name !== key) return [[name, entry]];
    if (rest.length > 0) return [[name, apply(entry, { turns: rest, how, value })]];
    if (how === "remove") return [];
    if (how === "rename") return [[`${name}x`, entry]];
    return how === "add"
      ? [
          [name, entry],
          ["added", value],
        ]
      : [[name, value]];
  });
  return Array.isArray(document) ? entries.map(([, entry]) => entry) : Object.fromEntries(entries);
}

it("schema and reader say the same of whatever becomes of a file", () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const file = changes.reduce<unknown>(apply, WHOLE_FILE);
      const problems = problemsFrom(() => readConfig(file));
      const said = problems.filter(({ message }) => !BEYOND_THE_SCHEMA.some((rule) => rule.test(message)));
      if (problems.length === 0) taken += 1;
      expect(fits(file), JSON.stringify({ file, problems, errors: fits.errors })).toBe(said.length === 0);
    }),
    { numRuns: Number(process.env.REPRISE_FUZZ ? 20_000 : 1_500) },
  );
  // Not all of them are wrong: what is taken by both is looked at, too.
  expect(taken).toBeGreaterThan(20);
}, 180_000);
