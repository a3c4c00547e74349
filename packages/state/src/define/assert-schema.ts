import { invalidOperation, serialization } from "../document/state-error.ts";
import type { SchemaIssue, StandardSchema } from "./standard-schema.ts";

/** Refuses a state its schema refuses. The state is kept as it is: what a schema would turn it into is not used. */
export function assertSchema(state: string, schema: StandardSchema | undefined, value: unknown): void {
  if (schema === undefined) return;
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) {
    throw invalidOperation(`the schema of the state "${state}" answers by a promise; state needs an answer at once`);
  }
  if (result.issues === undefined) return;
  throw serialization(`the state "${state}" breaks its schema: ${result.issues.map(describe).join("; ")}`);
}

function describe({ message, path = [] }: SchemaIssue): string {
  const at = path.map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return at === "" ? message : `${at}: ${message}`;
}
