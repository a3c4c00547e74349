import type { Secret } from "@reprise/contracts";
import type { ShapePath } from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";
import { secretPositions } from "./check-secrets.ts";
import type { Workflow } from "./workflow-document.ts";

/** What `revealSecrets` needs. */
export interface Revealing {
  readonly workflow: Workflow;
  /** The arguments as the document has them. */
  readonly authored: JsonObject;
  /** The same with values in them and secrets masked, as they are stored. */
  readonly resolved: JsonObject;
  readonly secrets: ReadonlyMap<string, Secret>;
}

/**
 * Puts the secrets where the document has them. Called with what goes into a tool, right before the call; the result is never stored or
 * shown. `missing` lists the inputs whose secrets this process does not have, as after a restart.
 */
export function revealSecrets({ workflow, authored, resolved, secrets }: Revealing): {
  readonly value: JsonObject;
  readonly missing: readonly string[];
} {
  const missing: string[] = [];
  let value = resolved;
  for (const { path, input } of secretPositions(workflow, authored)) {
    const secret = secrets.get(input);
    if (secret === undefined) missing.push(input);
    // The path begins with a key of the object.
    else value = replaceAt(value, path, secret.reveal()) as JsonObject;
  }
  return { value, missing: [...new Set(missing)] };
}

function replaceAt(value: Json, path: ShapePath, replacement: string): Json {
  const [part, ...rest] = path;
  if (part === undefined) return replacement;
  if (Array.isArray(value))
    return value.map((item, index) => (index === part ? replaceAt(item, rest, replacement) : item));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, key === part ? replaceAt(item, rest, replacement) : item]),
  );
}
