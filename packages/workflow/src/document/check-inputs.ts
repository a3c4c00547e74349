import type { ShapePath } from "@reprise/contracts/shape";
import { compileSchema } from "@reprise/runtime";
import { findValueProblem } from "./read-inputs.ts";
import type { InputValidation, WorkflowInput, WorkflowInputType } from "./workflow-document.ts";
import type { RuleProblem } from "./workflow-problem.ts";

type Rule = keyof InputValidation;

const TEXT_RULES: readonly Rule[] = ["format", "pattern", "enum", "min_length", "max_length"];

/** Which rules apply to which type. */
const RULES: Readonly<Record<WorkflowInputType, readonly Rule[]>> = {
  number: ["min", "max", "enum"],
  string: TEXT_RULES,
  file_path: TEXT_RULES,
  code_diff: TEXT_RULES,
  secret: ["enum"],
  boolean: [],
  json: [],
};

/** Names that an object has without being given any. */
const RESERVED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** What is wrong with one definition of an input. */
export function findInputProblems(input: WorkflowInput, path: ShapePath): readonly RuleProblem[] {
  const rule = (at: ShapePath, says: string): RuleProblem => ({ kind: "rule", path: [...path, ...at], says });
  const problems: RuleProblem[] = [];
  if (RESERVED.has(input.name)) problems.push(rule(["name"], ` must not be ${JSON.stringify(input.name)}`));
  const { validation = {} } = input;
  // The keys of a checked value are those of its type.
  const given = Object.keys(validation) as Rule[];
  for (const name of given) {
    const applies = RULES[input.type];
    if (applies.includes(name)) continue;
    const known = applies.length === 0 ? "it has no rules" : `its rules are ${applies.join(", ")}`;
    problems.push(rule(["validation", name], ` does not apply to the type ${input.type} (${known})`));
  }
  problems.push(...findRuleProblems(input, rule));
  if (input.type === "secret") return [...problems, ...findSecretNameProblems(input, rule)];
  if (input.default === undefined) return problems;
  const misfit = problems.length > 0 ? undefined : findValueProblem(input, input.default);
  return misfit === undefined ? problems : [...problems, rule(["default"], ` ${misfit}`)];
}

/** A document names the secrets it works with, so that no client can ask for another one of the host. */
function findSecretNameProblems(
  input: WorkflowInput,
  rule: (at: ShapePath, says: string) => RuleProblem,
): readonly RuleProblem[] {
  const says = " must be the name of an environment variable, as in GITHUB_TOKEN, never the secret itself";
  const isName = (value: unknown): boolean => typeof value === "string" && /^[A-Z_][A-Z0-9_]{0,199}$/.test(value);
  const { default: usual, validation } = input;
  const names = validation?.enum ?? [];
  if (usual === undefined && names.length === 0)
    return [rule([], " is a secret and needs `default` or `validation.enum`: the names of the secrets it may be")];
  return [
    ...(usual === undefined || isName(usual) ? [] : [rule(["default"], says)]),
    ...names.flatMap((name, index) => (isName(name) ? [] : [rule(["validation", "enum", index], says)])),
  ];
}

function findRuleProblems(
  { type, validation = {} }: WorkflowInput,
  rule: (at: ShapePath, says: string) => RuleProblem,
): readonly RuleProblem[] {
  const { min, max, min_length, max_length, pattern, enum: allowed } = validation;
  const problems: RuleProblem[] = [];
  if (min !== undefined && max !== undefined && min > max)
    problems.push(rule(["validation", "min"], ` must not exceed \`max\` (${min} > ${max})`));
  if (min_length !== undefined && max_length !== undefined && min_length > max_length)
    problems.push(
      rule(["validation", "min_length"], ` must not exceed \`max_length\` (${min_length} > ${max_length})`),
    );
  if (pattern !== undefined && !isPattern(pattern))
    problems.push(rule(["validation", "pattern"], " must be a regular expression of JavaScript"));
  if (allowed?.length === 0) problems.push(rule(["validation", "enum"], " must have at least one value"));
  if (type === "secret") return problems;
  allowed?.forEach((value, index) => {
    const problem = findValueProblem({ type }, value);
    if (problem !== undefined) problems.push(rule(["validation", "enum", index], ` ${problem}`));
  });
  return problems;
}

function isPattern(pattern: string): boolean {
  try {
    compileSchema({ type: "string", pattern });
    return true;
  } catch {
    return false;
  }
}
