import { RepriseError } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import { Ajv, type ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { compilePattern } from "./linear-pattern.ts";

/** Says what is wrong with a value, or undefined when it fits. */
export type Validate = (value: unknown) => string | undefined;

// Compiling takes tens of milliseconds, so a schema is compiled once, by its content.
const compiled = new Map<string, Validate>();
const MAX_COMPILED = 1000;

/** A list of a million wrong items has a million problems. */
const MOST_PROBLEMS = 10;

/** Arguments and answers come from models, which say what others told them: no text of theirs may stall the process. */
const LINEAR = Object.assign((pattern: string) => compilePattern(pattern), { code: "compilePattern" });

/** The drafts before 2019 write lists and definitions differently. Many servers and schema libraries still speak draft-07. */
const OLD_DRAFT = /\/draft-0[4-7]\//;

/** Compiles a JSON Schema: 2020-12, unless its `$schema` names an older draft. Throws `INVALID_DEFINITION` when it is none. */
export function compileSchema(schema: JsonObject): Validate {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const validate = compile(schema);
  if (compiled.size >= MAX_COMPILED) compiled.delete(compiled.keys().next().value ?? "");
  compiled.set(key, validate);
  return validate;
}

function compile(schema: JsonObject): Validate {
  // A new instance each: schemas of different tools may carry the same $id.
  const options = { strict: false, allErrors: true, validateFormats: false, code: { regExp: LINEAR } };
  const { $schema = "", ...rules } = schema;
  const ajv = OLD_DRAFT.test(String($schema)) ? new Ajv(options) : new Ajv2020(options);
  try {
    // Without the name of its draft, of which there are many spellings.
    const check = ajv.compile(rules);
    return (value) =>
      check(value)
        ? undefined
        : (check.errors ?? [])
            .slice(0, MOST_PROBLEMS)
            .map((problem) => `${problem.instancePath || "the value"} ${sayRule(problem)}`)
            .join("; ");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RepriseError("INVALID_DEFINITION", `This is not a JSON Schema: ${reason}.`, { cause: error });
  }
}

const MOST_VALUES = 10;

/** What a value breaks, with the name or the values without which a model could only guess. */
function sayRule({ keyword, message, params }: ErrorObject): string {
  if (keyword === "additionalProperties")
    return `must not have the property ${JSON.stringify(params.additionalProperty)}`;
  if (keyword !== "enum" || !Array.isArray(params.allowedValues)) return message ?? `breaks the rule ${keyword}`;
  const values: readonly unknown[] = params.allowedValues;
  const named = values.slice(0, MOST_VALUES).map((value) => JSON.stringify(value));
  return `must be one of ${named.join(", ")}${values.length > MOST_VALUES ? ", …" : ""}`;
}
