import type { ComponentName } from "./components.ts";
import type { JsonSchema } from "./operation.ts";

/** Points to a schema that has a name. */
export function ref(name: ComponentName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
