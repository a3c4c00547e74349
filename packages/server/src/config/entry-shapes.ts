import { RepriseError } from "@reprise/contracts";
import {
  agentSpecSchema,
  isModelPool,
  modelPoolSchema,
  modelSpecSchema,
  readAgentSpec,
  readModelPool,
  readModelSpec,
} from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";
import { findBlanks, refuseBlanks } from "./blank-fields.ts";
import type { ConfigProblem } from "./config-problem.ts";
import { type Place, problemAt } from "./place.ts";
import { describeType, isJsonObject, isPlainObject, type Shape } from "./shape.ts";

/** An agent as its spec has it. The runtime's own reader checks it: what it says is what is wrong. */
export const agentEntry: Shape<JsonObject> = readBy({
  says: "an agent spec",
  schemaFor: () => agentSpecSchema(),
  read: (entry) => void readAgentSpec(entry),
});

// The key of an entry is its id; the readers want one inside.
const ID = "entry";

/** A model or a pool as its spec has it, without its id. */
export const modelEntry: Shape<JsonObject> = readBy({
  says: "a model spec or a pool, without an id",
  schemaFor: (entry) => withoutId(isModelPool(entry) ? modelPoolSchema() : modelSpecSchema()),
  schema: { anyOf: [withoutId(modelSpecSchema()), withoutId(modelPoolSchema())] },
  read: (entry) => {
    const whole = { ...entry, id: ID };
    if (isModelPool(whole)) readModelPool(whole);
    else readModelSpec(whole);
  },
  findMore: (entry, place) =>
    Object.hasOwn(entry, "id")
      ? [{ path: `${place.path}.id`, message: "`id` is not known: the key of a model is its id" }]
      : [],
});

interface Reader {
  readonly says: string;
  /** The schema an entry of this form is held against. */
  schemaFor(entry: object): JsonObject;
  /** Of all forms, when there is more than one. */
  readonly schema?: JsonObject;
  /** Throws with all problems. */
  read(entry: object): void;
  findMore?(entry: object, place: Place): readonly ConfigProblem[];
}

function readBy({ says, schemaFor, schema = schemaFor({}), read, findMore = () => [] }: Reader): Shape<JsonObject> {
  return {
    says,
    schema: refuseBlanks(schema),
    problems: (value, place) => {
      if (!isPlainObject(value)) return [problemAt(place, `is an object, not ${describeType(value)}`)];
      return [
        ...collectProblems(() => read(value), place),
        ...findMore(value, place),
        ...findBlanks(schemaFor(value), value, place),
      ];
    },
  };
}

/** The problems a reader of the runtime throws, each at its place. */
function collectProblems(read: () => void, place: Place): readonly ConfigProblem[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!RepriseError.is(error) || !Array.isArray(error.details.problems)) throw error;
    // The readers' own lists hold sentences.
    return (error.details.problems as readonly string[]).map((message) => locate(message, place));
  }
}

/** A reader's sentence begins with the field it is about, as in `` `stop_condition_specs`[0].rounds is needed ``. */
function locate(message: string, { path }: Place): ConfigProblem {
  const [, field, rest = ""] = /^(?:`|pool\.)([\w$-]+)`?((?:\.[\w$-]+|\[\d+\])*)/.exec(message) ?? [];
  return { path: field === undefined ? path : `${path}.${field}${rest}`, message: message.replace(/^pool\./, "") };
}

function withoutId(schema: JsonObject): JsonObject {
  const { properties = {}, required = [] } = schema;
  const { id: _id, ...others } = isJsonObject(properties) ? properties : {};
  const needed = Array.isArray(required) ? required.filter((name: Json) => name !== "id") : [];
  return { ...schema, properties: others, required: needed };
}
