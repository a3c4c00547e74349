import { isPlainObject, otherType, type Shape } from "@reprise/contracts/shape";
import { agentSpecShape, isModelPool, modelPoolShape, modelSpecShape } from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";

/** An agent as its spec has it: the runtime's own shape. */
export const agentEntry: Shape<JsonObject> = agentSpecShape;

// The key of an entry is its id; the runtime's shapes want one inside.
const ID = "entry";

/** A model or a pool as the runtime's shapes have it, without its id. */
export const modelEntry: Shape<JsonObject> = {
  says: "a model spec or a pool, without an id",
  schema: { anyOf: [withoutId(modelSpecShape.schema), withoutId(modelPoolShape.schema)] },
  problems: (value, path) => {
    if (!isPlainObject(value)) return [otherType(path, "an object", value)];
    const shape: Shape<unknown> = isModelPool(value) ? modelPoolShape : modelSpecShape;
    const says = " is not known: the key of a model is its id";
    const own = Object.hasOwn(value, "id") ? [{ path: [...path, "id"], says }] : [];
    return [...shape.problems({ ...value, id: ID }, path), ...own];
  },
};

function withoutId(schema: JsonObject): JsonObject {
  const { properties = {}, required = [] } = schema;
  // The schema of an object with fields, which has these two.
  const { id: _id, ...others } = properties as JsonObject;
  return { ...schema, properties: others, required: (required as readonly Json[]).filter((name) => name !== "id") };
}
