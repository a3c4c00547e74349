import { type AgentSpec, type Composition, partsOf, RepriseError } from "@reprise/contracts";
import { describeType, isPlainObject, type Shape, type ShapeProblem, toStoredNames } from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import { freezeDeep } from "../json/freeze-deep.ts";
import { AGENT_SPEC_FIELDS, FLAT_ENDPOINT_FIELDS } from "./agent-spec-fields.ts";
import { type FieldTable, readFields, shapeOf } from "./field-table.ts";
import { wordsOf } from "./say-problem.ts";

type Fields = { readonly [name: string]: Json };

interface ReadEndpoint {
  readonly endpoint?: Json;
  readonly problems: readonly ShapeProblem[];
}

const FLAT = ["remote_agent_id", "poll_interval_ms", "auth"] as const;

/** Puts an endpoint together: a url or an object, with what stands beside it. */
function readEndpoint(agentId: Json, { endpoint, ...fields }: Fields): ReadEndpoint {
  const flat = Object.fromEntries(FLAT.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])));
  if (endpoint === undefined) {
    const problems = Object.keys(flat).map((name) => ({ path: [name], says: " needs `endpoint`" }));
    return { problems: fields.kind === "a2a" ? [...problems, ofKind("a2a needs `endpoint`")] : problems };
  }
  const given: Fields = typeof endpoint === "string" ? { url: endpoint } : (endpoint as Fields);
  const twice = Object.keys(flat).filter((name) => given[name] !== undefined);
  return {
    endpoint: { remote_agent_id: agentId, ...given, ...flat },
    problems: [
      ...twice.map((name) => ({ path: [name], says: " is given inside `endpoint` and beside it; keep one of them" })),
      ...(fields.kind === "local" ? [ofKind("local and `endpoint` contradict each other")] : []),
      ...(fields.kind === "a2a" && (given.backend ?? "a2a") !== "a2a"
        ? [ofKind("a2a and `endpoint.backend` differ")]
        : []),
    ],
  };
}

function ofKind(says: string): ShapeProblem {
  return { path: ["kind"], says: ` ${says}` };
}

/** Fields that an agent without a model of its own has no use for. */
function findMixed({ compose, program, model, endpoint, plugin_ids }: Fields): readonly ShapeProblem[] {
  if (compose === undefined && program === undefined) return [];
  const field = compose === undefined ? "program" : "compose";
  const given = {
    model,
    endpoint,
    ...(field === "compose" && { program }),
    plugin_ids: Array.isArray(plugin_ids) && plugin_ids.length > 0 ? plugin_ids : undefined,
  };
  const mixed = Object.entries(given).filter(([, value]) => value !== undefined);
  return mixed.map(([name]) => ({ path: [name], says: ` and \`${field}\` exclude each other` }));
}

/** An agent that is made of others has exactly these work for it, and a parallel one answers with a list. */
function composedFields({ compose, output_schema }: Fields): Fields {
  if (compose === undefined) return {};
  // Checked by its row of the table.
  const composition = compose as unknown as Composition;
  const isList = composition.type === "parallel" && output_schema === undefined;
  return { allowed_agents: [...partsOf(composition)], ...(isList && { output_schema: { type: "array" } }) };
}

const TABLE: FieldTable = {
  says: "an agent spec",
  rows: [...AGENT_SPEC_FIELDS, ...FLAT_ENDPOINT_FIELDS],
  findMore: (fields) => [...readEndpoint(fields.id ?? "", fields).problems, ...findMixed(fields)],
};

/** The shape of an agent spec, for readers of documents that contain some. */
export const agentSpecShape: Shape<JsonObject> = shapeOf(TABLE);

/** The JSON Schema of agent specs as people may write them. */
export function agentSpecSchema(): JsonObject {
  return agentSpecShape.schema;
}

/**
 * Makes an agent spec of what people write: camelCase names and aliases become the one name of their field, what is absent gets its
 * default. Throws `INVALID_AGENT_SPEC` with every problem. What it returns reads as itself.
 */
export function readAgentSpec(input: unknown): AgentSpec {
  return readSpec(input, wordsOf(input));
}

/** The same with the words for its problems. */
export function readSpec(input: unknown, say: (problem: ShapeProblem) => string): AgentSpec {
  const named = toStoredNames(input, agentSpecShape.schema);
  if (!isPlainObject(named)) throw invalidSpec(undefined, [`a spec must be an object (got ${describeType(input)})`]);
  const { fields, problems } = readFields(TABLE, named);
  if (problems.length > 0) throw invalidSpec(named.id, problems.map(say));
  const { kind: _kind, remote_agent_id: _remote, poll_interval_ms: _poll, auth: _auth, ...own } = fields;
  const { endpoint } = readEndpoint(fields.id ?? "", fields);
  const spec: Json = {
    ...own,
    name: own.name ?? own.id ?? "",
    ...(endpoint !== undefined && { endpoint }),
    ...composedFields(fields),
  };
  // Every field was checked by its row of the table. A copy, because the caller may continue to write to the original.
  return freezeDeep(copyJson(spec)) as Json & AgentSpec;
}

function invalidSpec(id: unknown, problems: readonly string[]): RepriseError {
  const who = typeof id === "string" ? `The spec of agent ${JSON.stringify(id)}` : "An agent spec";
  return new RepriseError("INVALID_AGENT_SPEC", `${who} is not well formed: ${problems.join("; ")}.`, {
    details: { problems, ...(typeof id === "string" && { agent_id: id }) },
  });
}
