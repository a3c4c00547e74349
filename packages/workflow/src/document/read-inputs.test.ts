import { RepriseError } from "@reprise/contracts";
import { expect, it } from "vitest";
import { readInputs } from "./read-inputs.ts";
import type { InputValidation, WorkflowInput } from "./workflow-document.ts";

function problemsOf(inputs: readonly WorkflowInput[], given: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    readInputs({ id: "w", inputs }, given);
    return [];
  } catch (error) {
    if (!RepriseError.is(error, "WORKFLOW_INPUTS_INVALID")) throw error;
    return (error.details.problems as readonly { readonly message: string }[]).map(({ message }) => message);
  }
}

it("applies defaults, leaves out what is absent, and takes only declared inputs", () => {
  const inputs: readonly WorkflowInput[] = [
    { name: "a", type: "string", required: true },
    { name: "b", type: "number", default: 3 },
    { name: "c", type: "boolean" },
    { name: "d", type: "json" },
  ];
  expect(readInputs({ id: "w", inputs }, { a: "x", d: null }).values).toEqual({ a: "x", b: 3, d: null });
  expect(problemsOf(inputs, { bb: 1, c: "yes", d: undefined })).toEqual([
    "inputs.bb is not known. The nearest is b.",
    "inputs.a is required.",
    "inputs.c must be true or false (got a string).",
  ]);
});

it("masks secrets in the values and keeps them apart", () => {
  const inputs: readonly WorkflowInput[] = [
    { name: "token", type: "secret", default: "MAIN_TOKEN", validation: { enum: ["MAIN_TOKEN", "SPARE_TOKEN"] } },
  ];
  const { values, secrets } = readInputs({ id: "w", inputs });
  expect(values).toEqual({ token: { secret: true, ref: "inputs.token" } });
  expect(secrets.get("token")).toBe("MAIN_TOKEN");
  expect(readInputs({ id: "w", inputs }, { token: "SPARE_TOKEN" }).secrets.get("token")).toBe("SPARE_TOKEN");
});

it("takes the names of secrets that the document lists, and repeats nothing else", () => {
  const inputs: readonly WorkflowInput[] = [{ name: "token", type: "secret", default: "MAIN_TOKEN" }];
  const refused = ["inputs.token must be the name of a secret, never the secret itself: MAIN_TOKEN."];
  for (const token of ["DATABASE_PASSWORD", "sk-very-secret", "", { secret: true, ref: "env:HOME" }])
    expect(problemsOf(inputs, { token })).toEqual(refused);
});

it.each<[InputValidation, readonly string[], readonly string[]]>([
  [{ format: "email" }, ["a@b.example"], ["a@b", "a b@c.d", "@b.c", `${"a".repeat(400)}@b.c`]],
  [{ format: "url" }, ["https://a.example/b?c"], ["javascript:alert(1)", "a.example", "https://"]],
  [{ format: "uuid" }, ["0198f3a2-7c1d-7a4e-9b1f-2c3d4e5f6071"], ["0198f3a2"]],
  [{ format: "date" }, ["2024-02-29"], ["2023-02-29", "2024-2-1", "2024-13-01"]],
  [
    { format: "date-time" },
    ["2024-02-29T10:00:00Z", "2024-02-29T10:00:00.5+01:00"],
    ["2024-02-29", "2024-02-30T10:00:00Z"],
  ],
  [{ pattern: "^[a-z]+$" }, ["abc"], ["ab1", ""]],
  [{ enum: ["a", "b"] }, ["a"], ["c"]],
])("holds texts against %j", (validation, fit, unfit) => {
  const inputs: readonly WorkflowInput[] = [{ name: "a", type: "string", validation }];
  for (const a of fit) expect(problemsOf(inputs, { a })).toEqual([]);
  for (const a of unfit) expect(problemsOf(inputs, { a })).toHaveLength(1);
});

it("is not stalled by a pattern that goes back", () => {
  const inputs: readonly WorkflowInput[] = [{ name: "a", type: "string", validation: { pattern: "^(a+)+$" } }];
  expect(problemsOf(inputs, { a: `${"a".repeat(50_000)}!` })).toHaveLength(1);
});

it("refuses numbers out of bounds and what is no number", () => {
  const inputs: readonly WorkflowInput[] = [{ name: "n", type: "number", validation: { min: 1, max: 3 } }];
  expect(problemsOf(inputs, { n: 0 })).toEqual(["inputs.n must be at least 1 (got 0)."]);
  expect(problemsOf(inputs, { n: 4 })).toEqual(["inputs.n must be at most 3 (got 4)."]);
  for (const n of ["2", Number.NaN, Number.POSITIVE_INFINITY]) expect(problemsOf(inputs, { n })).toHaveLength(1);
});
