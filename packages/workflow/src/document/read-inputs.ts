import { RepriseError } from "@reprise/contracts";
import { describeType, findNearest } from "@reprise/contracts/shape";
import { compileSchema } from "@reprise/runtime";
import { isJson, type Json, type JsonObject } from "@reprise/state";
import type { InputValidation, Workflow, WorkflowInput } from "./workflow-document.ts";

/** What stands for a secret in everything that is stored or shown. */
export interface MaskedSecret extends JsonObject {
  readonly secret: true;
  /** `inputs.token`. */
  readonly ref: string;
}

/** The inputs of a run. */
export interface RunInputs {
  /** What templates and expressions see and what is stored: secrets are masked. */
  readonly values: JsonObject;
  /** The names of the host's secrets, by the names of the inputs that ask for them. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** One mistake in the inputs of a run. */
export interface InputProblem {
  readonly name: string;
  /** A sentence without the value. */
  readonly message: string;
}

/** Checks the inputs of a run and applies defaults. Throws `WORKFLOW_INPUTS_INVALID` with every problem. */
export function readInputs(
  workflow: Pick<Workflow, "id" | "inputs">,
  given: Readonly<Record<string, unknown>> = {},
): RunInputs {
  const defined = workflow.inputs ?? [];
  const names = defined.map(({ name }) => name);
  const problems: InputProblem[] = Object.keys(given)
    .filter((name) => !names.includes(name) && given[name] !== undefined)
    .map((name) => ({ name, message: sayUnknown(name, names) }));
  const values: [string, Json][] = [];
  const secrets = new Map<string, string>();
  for (const input of defined) {
    const { name } = input;
    const own = Object.hasOwn(given, name) ? given[name] : undefined;
    const isGiven = own !== undefined && (own !== null || input.type === "json");
    const value = isGiven ? own : input.default;
    if (value === undefined) {
      if (input.required === true) problems.push({ name, message: `inputs.${name} is required.` });
      continue;
    }
    const problem = findValueProblem(input, value);
    if (problem !== undefined) problems.push({ name, message: `inputs.${name} ${problem}.` });
    else if (input.type === "secret") {
      secrets.set(name, String(value));
      values.push([name, maskOf(name)]);
      // Checked to be JSON by its type.
    } else values.push([name, value as Json]);
  }
  if (problems.length > 0) throw inputsInvalid(workflow.id, problems);
  return { values: Object.fromEntries(values), secrets };
}

function maskOf(name: string): MaskedSecret {
  return { secret: true, ref: `inputs.${name}` };
}

function sayUnknown(name: string, names: readonly string[]): string {
  const nearest = findNearest(name, names);
  const hint =
    nearest === undefined ? `The workflow has ${names.join(", ") || "no inputs"}` : `The nearest is ${nearest}`;
  return `inputs.${name} is not known. ${hint}.`;
}

function inputsInvalid(workflowId: string, problems: readonly InputProblem[]): RepriseError {
  const message = `The inputs of workflow ${workflowId} do not fit: ${problems.map((each) => each.message).join(" ")}`;
  return new RepriseError("WORKFLOW_INPUTS_INVALID", message, { details: { workflow_id: workflowId, problems } });
}

/** The host's secrets that an input may name: those that the document lists. A client reaches no other one. */
function secretNames({ default: usual, validation }: Pick<WorkflowInput, "default" | "validation">): readonly Json[] {
  return [...(usual === undefined ? [] : [usual]), ...(validation?.enum ?? [])];
}

/** What is wrong with a value, as the end of a sentence; undefined when it fits. The value itself is not told: it may be a secret. */
export function findValueProblem(
  input: Pick<WorkflowInput, "type" | "validation" | "default">,
  value: unknown,
): string | undefined {
  const { validation = {} } = input;
  switch (input.type) {
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value)) return `must be a number (got ${describeType(value)})`;
      return findNumberProblem(value, validation);
    case "boolean":
      return typeof value === "boolean" ? undefined : `must be true or false (got ${describeType(value)})`;
    case "json":
      return isJson(value) ? undefined : "must be JSON";
    case "secret": {
      const names = secretNames(input);
      if (typeof value === "string" && names.includes(value)) return undefined;
      return `must be the name of a secret, never the secret itself: ${[...new Set(names)].join(" or ")}`;
    }
    case "file_path":
      if (typeof value !== "string" || value === "" || value.includes("\0")) return "must be a path";
      return findTextProblem(value, validation);
    case "string":
    case "code_diff":
      if (typeof value !== "string") return `must be a string (got ${describeType(value)})`;
      return findTextProblem(value, validation);
    default:
      return input.type satisfies never;
  }
}

function findNumberProblem(value: number, { min, max, enum: allowed }: InputValidation): string | undefined {
  if (min !== undefined && value < min) return `must be at least ${min} (got ${value})`;
  if (max !== undefined && value > max) return `must be at most ${max} (got ${value})`;
  return allowed === undefined || allowed.includes(value)
    ? undefined
    : `must be one of ${allowed.join(", ")} (got ${value})`;
}

function findTextProblem(value: string, rules: InputValidation): string | undefined {
  const { min_length, max_length, enum: allowed, format, pattern } = rules;
  if (min_length !== undefined && value.length < min_length)
    return `must have at least ${min_length} characters (got ${value.length})`;
  if (max_length !== undefined && value.length > max_length)
    return `must have at most ${max_length} characters (got ${value.length})`;
  if (allowed !== undefined && !allowed.includes(value)) return `must be one of ${allowed.join(", ")}`;
  if (format !== undefined && !FORMATS[format](value)) return `must be a valid ${format}`;
  // Follows the pattern without going back: no text can stall the process.
  if (pattern !== undefined && compileSchema({ type: "string", pattern })(value) !== undefined)
    return `must match ${pattern}`;
  return undefined;
}

const FORMATS: Readonly<Record<NonNullable<InputValidation["format"]>, (value: string) => boolean>> = {
  email: (value) => value.length <= 320 && /^[^\s@]{1,64}@[^\s@.]{1,63}(\.[^\s@.]{1,63}){1,10}$/.test(value),
  url: (value) => /^https?:/i.test(value) && URL.canParse(value),
  uuid: (value) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && isRealDay(value),
  "date-time": (value) => {
    const isFormed = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(value);
    return isFormed && isRealDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value));
  },
};

/** February has no thirtieth. */
function isRealDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
