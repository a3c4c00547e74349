import { RepriseError } from "@reprise/contracts";
import { isPlainObject, type ShapePath } from "@reprise/contracts/shape";
import { compileSchema } from "@reprise/runtime";
import type { JsonObject } from "@reprise/state";
import { parseTemplate } from "../template/parse-template.ts";
import { isSlot } from "../template/template.ts";
import { textsIn } from "../template/template-texts.ts";
import { findInputProblems } from "./check-inputs.ts";
import { findTextProblems, type KnownNames } from "./check-references.ts";
import { findSecretProblems } from "./check-secrets.ts";
import { bodyLocals, type NodeAt, textsOfNode } from "./node-texts.ts";
import { type InputProblem, readInputs } from "./read-inputs.ts";
import type { Workflow, WorkflowAgent, WorkflowNode } from "./workflow-document.ts";
import type { RuleProblem } from "./workflow-problem.ts";

export interface DocumentRules {
  /** The agents of the runtime. Without the list every `agent_ref` may be one of them. */
  readonly runtimeAgents?: readonly string[];
}

/** A workflow whose parts may have problems: only those that have none are looked into. */
interface Candidate {
  readonly workflow: { readonly [key: string]: unknown };
  isSound(path: ShapePath): boolean;
}

/**
 * Everything that a shape cannot say: names that are unique, references that lead somewhere, values that fit each other, secrets that stay
 * secret. Parts with problems of their shape are left out, so that one mistake does not hide the others.
 */
export function findDocumentProblems(
  value: unknown,
  shapeProblems: readonly RuleProblem[],
  rules: DocumentRules = {},
): readonly RuleProblem[] {
  const workflow = isPlainObject(value) ? value.workflow : undefined;
  if (!isPlainObject(workflow)) return [];
  const candidate: Candidate = {
    workflow,
    isSound: (path) => !shapeProblems.some((problem) => isWithin(problem.path, path)),
  };
  const inputs = soundItems(candidate, "inputs") as readonly Located<NonNullable<Workflow["inputs"]>[number]>[];
  const agents = soundItems(candidate, "agents") as readonly Located<WorkflowAgent>[];
  const nodes = soundNodes(candidate, workflow, ["workflow"], []);
  const names: KnownNames = {
    inputs: inputs.map(({ item }) => item.name),
    ...contextNames(workflow),
    hasOutputs: true,
    locals: [],
  };
  // With a broken input or context the names are not all known, and a reference to one of them is no second mistake.
  const hasNames = candidate.isSound(["workflow", "inputs"]) && candidate.isSound(["workflow", "context"]);
  const sound = shapeProblems.length === 0 ? (workflow as unknown as Workflow) : undefined;
  return [
    ...findDuplicates(
      inputs.map(({ item, path }) => ({ name: item.name, path: [...path, "name"] })),
      "input",
    ),
    ...findDuplicates(
      agents.map(({ item, path }) => ({ name: item.id, path: [...path, "id"] })),
      "agent",
    ),
    ...findDuplicates(
      nodes.map(({ node, path }) => ({ name: node.id, path: [...path, "id"] })),
      "node",
    ),
    ...inputs.flatMap(({ item, path }) => findInputProblems(item, path)),
    ...agents.flatMap(({ item, path }) => findSchemaProblems(item, ["input_schema", "output_schema"], path)),
    ...nodes.flatMap(({ node, path }) => findNodeProblems(node, path)),
    ...nodes.flatMap(({ node, path }) =>
      findIdleFields(node, IDLE_FIELDS[node.type], path, `a node of the type ${node.type}`),
    ),
    ...findGrantProblems(nodes, agents, candidate.isSound(["workflow", "agents"]), rules),
    ...(hasNames ? findReferenceProblems(candidate, nodes, names) : []),
    ...findUpgradeProblems(sound),
    ...findTriggerProblems(sound),
    ...(sound === undefined ? [] : findSecretProblems(sound)),
  ];
}

function isWithin(path: ShapePath, folder: ShapePath): boolean {
  return folder.every((part, index) => path[index] === part);
}

interface Located<Item> {
  readonly item: Item;
  readonly path: ShapePath;
}

/** The items of a list that have their shape. */
function soundItems({ workflow, isSound }: Candidate, field: string): readonly Located<unknown>[] {
  const list = workflow[field];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown, index) => {
    const path = ["workflow", field, index];
    return isSound(path) ? [{ item, path }] : [];
  });
}

/** The nodes that have their shape. A node whose body has problems is sound itself as far as its other fields are. */
function soundNodes(
  candidate: Candidate,
  graph: { readonly [key: string]: unknown },
  path: ShapePath,
  locals: readonly string[],
): readonly NodeAt[] {
  if (!Array.isArray(graph.nodes)) return [];
  return graph.nodes.flatMap((value: unknown, index): readonly NodeAt[] => {
    const here = [...path, "nodes", index];
    if (!isPlainObject(value)) return [];
    const isWhole = Object.keys(value).every((key) => key === "body" || candidate.isSound([...here, key]));
    const hasAll = candidate.isSound(here) || isPlainObject(value.body);
    // Its shape was checked but for the body, which is looked into below.
    const node = value as unknown as WorkflowNode;
    const isSound = isWhole && hasAll && typeof node.id === "string" && typeof node.type === "string";
    const inner = isPlainObject(value.body)
      ? soundNodes(candidate, value.body, [...here, "body"], [...locals, ...bodyLocals(node)])
      : [];
    return isSound ? [{ node, path: here, locals }, ...inner] : inner;
  });
}

function contextNames(workflow: { readonly [key: string]: unknown }): { readonly context: readonly string[] } {
  return { context: isPlainObject(workflow.context) ? Object.keys(workflow.context) : [] };
}

function findDuplicates(
  named: readonly { readonly name: string; readonly path: ShapePath }[],
  what: string,
): readonly RuleProblem[] {
  const seen = new Set<string>();
  return named.flatMap(({ name, path }) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [{ kind: "rule" as const, path, says: ` is the name of another ${what} already (${JSON.stringify(name)})` }];
  });
}

function findSchemaProblems<Owner>(
  owner: Owner,
  fields: readonly (keyof Owner & string)[],
  path: ShapePath,
): readonly RuleProblem[] {
  return fields.flatMap((field) => {
    const schema = owner[field];
    if (schema === undefined) return [];
    try {
      // The fields that are asked for are objects by their shape.
      compileSchema(schema as JsonObject);
      return [];
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/\.$/, "") : "it cannot be compiled";
      return [{ kind: "rule" as const, path: [...path, field], says: `: ${reason}` }];
    }
  });
}

const RESERVED_LOCALS: readonly string[] = ["inputs", "ctx", "run", "index", "iteration", "last", "branches"];

/** The rules of one node. */
function findNodeProblems(node: WorkflowNode, path: ShapePath): readonly RuleProblem[] {
  const rule = (at: ShapePath, says: string): RuleProblem => ({ kind: "rule", path: [...path, ...at], says });
  switch (node.type) {
    case "agent":
      return findSchemaProblems(node, ["output_schema"], path);
    case "human_gate":
      return [
        ...findSchemaProblems(node, ["response_schema"], path),
        ...(node.timeout_action !== undefined && node.timeout_ms === undefined
          ? [rule(["timeout_action"], " needs `timeout_ms`")]
          : []),
      ];
    case "condition":
      return findBranchProblems(node.branches, node.default, rule);
    case "parallel":
      return node.parallel_of.length > 0 ? [] : [rule(["parallel_of"], " must name at least one node")];
    case "merge":
      if (node.strategy === "custom")
        return node.merge_fn === undefined ? [rule([], " needs `merge_fn` for the strategy custom")] : [];
      return node.merge_fn === undefined ? [] : [rule(["merge_fn"], " is for the strategy custom")];
    case "fan_out":
      return [
        ...(node.as !== undefined && RESERVED_LOCALS.includes(node.as)
          ? [rule(["as"], ` must not be one of ${RESERVED_LOCALS.join(", ")}`)]
          : []),
        ...findEmptyBody(node.body, rule),
      ];
    case "loop":
      return findEmptyBody(node.body, rule);
    case "wait": {
      const ways = [node.duration_ms, node.event].filter((way) => way !== undefined).length;
      if (ways !== 1) return [rule([], ` must have exactly one of \`duration_ms\` and \`event\` (got ${ways})`)];
      return node.timeout_ms !== undefined && node.event === undefined
        ? [rule(["timeout_ms"], " is for `event`: `duration_ms` says how long it sleeps")]
        : [];
    }
    case "output":
      return node.save_to === undefined ? [] : findSavePathProblems(node.save_to, rule);
    case "input":
    case "subworkflow":
    case "tool":
    case "transform":
      return [];
    default:
      return node satisfies never;
  }
}

type MakeProblem = (at: ShapePath, says: string) => RuleProblem;

function findEmptyBody(body: { readonly nodes?: unknown }, rule: MakeProblem): readonly RuleProblem[] {
  return Array.isArray(body.nodes) && body.nodes.length === 0
    ? [rule(["body", "nodes"], " must have at least one node")]
    : [];
}

function findBranchProblems(
  branches: readonly { readonly when: boolean | string | number }[],
  fallback: string | undefined,
  rule: MakeProblem,
): readonly RuleProblem[] {
  if (branches.length === 0 && fallback === undefined) return [rule(["branches"], " must have at least one branch")];
  const seen = new Set<string>();
  return branches.flatMap(({ when }, index) => {
    // Handles of edges name a branch by its text, so `true` and "true" cannot stand side by side.
    const name = String(when);
    const at = ["branches", index, "when"];
    if (name === "default") return [rule(at, ' must not be "default": use the field `default`')];
    if (name.includes(":") || name.trim() !== name || name === "")
      return [rule(at, " must be a non-empty word without colons")];
    if (seen.has(name)) return [rule(at, ` is the value of another branch already (${name})`)];
    seen.add(name);
    return [];
  });
}

/** The path of a saved output stays below the folder of outputs, whatever the run is called. */
function findSavePathProblems(path: string, rule: MakeProblem): readonly RuleProblem[] {
  const at = ["save_to"];
  const parsed = parseTemplate(path);
  if ("problem" in parsed) return [rule(at, ` is not a template: ${parsed.problem.message}`)];
  const isFit = parsed.template.parts.every((part) => {
    if (!isSlot(part)) return true;
    return (
      "root" in part.value &&
      part.value.root === "run" &&
      part.value.segments.join() === "id" &&
      part.filters.length === 0
    );
  });
  if (!isFit) return [rule(at, " may have `{{ run.id }}` in it and nothing else")];
  const plain = parsed.template.parts.map((part) => (isSlot(part) ? "run" : part.text)).join("");
  const isOutside = /^([/\\~]|[A-Za-z]:)/.test(plain) || plain.split(/[/\\]/).includes("..") || plain.includes("\0");
  if (isOutside || /[/\\]$/.test(plain)) return [rule(at, " must be a relative path of a file, without `..`")];
  return [];
}

/** Fields that every node may have and that would do nothing at some. */
const IDLE_FIELDS: Readonly<Record<WorkflowNode["type"], readonly string[]>> = {
  input: ["timeout_ms", "retry", "concurrency", "rate_limit"],
  parallel: ["timeout_ms", "retry", "concurrency", "rate_limit"],
  // The nodes of the body have their own.
  fan_out: ["timeout_ms", "retry", "concurrency", "rate_limit"],
  loop: ["timeout_ms", "retry", "concurrency", "rate_limit"],
  // The other workflow has its own.
  subworkflow: ["timeout_ms", "concurrency"],
  // Nothing is held while a person or an event is waited for.
  human_gate: ["concurrency"],
  wait: ["concurrency"],
  agent: [],
  tool: [],
  condition: [],
  transform: [],
  merge: [],
  output: [],
};

/** Fields of agent nodes that an agent of the runtime, which works in a run of its own, does not take. */
const FIELDS_OF_DOCUMENT_AGENTS = [
  "system_prompt_append",
  "model",
  "temperature",
  "max_tokens",
  "tools",
  "output_schema",
  "output_modalities",
  "count",
  "duration_seconds",
  "timeout_ms",
  "concurrency",
] as const;

function findIdleFields(
  node: WorkflowNode,
  fields: readonly string[],
  path: ShapePath,
  where: string,
): readonly RuleProblem[] {
  return fields
    .filter((field) => Object.hasOwn(node, field))
    .map((field) => ({ kind: "rule", path: [...path, field], says: ` does nothing at ${where}` }));
}

/** A node uses the agent's tools, all or some of them. */
function findGrantProblems(
  nodes: readonly NodeAt[],
  agents: readonly Located<WorkflowAgent>[],
  hasAllAgents: boolean,
  { runtimeAgents }: DocumentRules,
): readonly RuleProblem[] {
  const known = new Map(agents.map(({ item }) => [item.id, item]));
  return nodes.flatMap(({ node, path }): readonly RuleProblem[] => {
    if (node.type !== "agent") return [];
    const agent = known.get(node.agent_ref);
    if (agent === undefined) {
      if (!hasAllAgents) return [];
      const where = `a node whose agent (${node.agent_ref}) is not in the document`;
      const idle = findIdleFields(node, FIELDS_OF_DOCUMENT_AGENTS, path, where);
      if (runtimeAgents === undefined || runtimeAgents.includes(node.agent_ref)) return idle;
      const names = [...known.keys(), ...runtimeAgents].slice(0, 10).join(", ") || "none";
      return [
        {
          kind: "rule",
          path: [...path, "agent_ref"],
          says: ` names no agent (${JSON.stringify(node.agent_ref)}; known: ${names})`,
        },
      ];
    }
    const granted = agent.tools ?? [];
    return (node.tools ?? []).flatMap((tool, index) =>
      granted.includes(tool)
        ? []
        : [
            {
              kind: "rule" as const,
              path: [...path, "tools", index],
              says: ` is not a tool of agent ${agent.id} (${JSON.stringify(tool)}): a node may only narrow the agent's tools`,
            },
          ],
    );
  });
}

function findReferenceProblems(
  candidate: Candidate,
  nodes: readonly NodeAt[],
  names: KnownNames,
): readonly RuleProblem[] {
  const { workflow } = candidate;
  const problems: RuleProblem[] = nodes.flatMap(({ node, path, locals }) =>
    textsOfNode(node).flatMap((text) =>
      findTextProblems(text, [...path, ...text.path], { ...names, locals: [...locals, ...(text.locals ?? [])] }),
    ),
  );
  const before: KnownNames = { inputs: names.inputs, hasOutputs: false, locals: [] };
  if (isPlainObject(workflow.context)) {
    // JSON, as everything that was read.
    for (const { path, text } of textsIn(workflow.context as JsonObject))
      problems.push(...findTextProblems({ kind: "structured", path, text }, ["workflow", "context", ...path], before));
  }
  const { concurrency } = workflow;
  if (isPlainObject(concurrency) && typeof concurrency.key === "string") {
    const path = ["workflow", "concurrency", "key"];
    const known: KnownNames = { ...before, context: names.context ?? [] };
    problems.push(...findTextProblems({ kind: "template", path: [], text: concurrency.key }, path, known));
  }
  return problems;
}

/** A schedule gives every input that is needed; a webhook may leave some to its requests. */
function findTriggerProblems(workflow: Workflow | undefined): readonly RuleProblem[] {
  const { trigger, inputs = [] } = workflow ?? {};
  if (workflow === undefined || trigger === undefined || trigger.type === "manual") return [];
  const given = trigger.inputs ?? {};
  const asked = trigger.type === "schedule" ? inputs : inputs.map((input) => ({ ...input, required: false }));
  try {
    readInputs({ id: workflow.id, inputs: asked }, given);
    return [];
  } catch (error) {
    if (!RepriseError.is(error, "WORKFLOW_INPUTS_INVALID")) throw error;
    return (error.details.problems as readonly InputProblem[]).map(({ name, message }) => ({
      kind: "rule",
      path: ["workflow", "trigger", "inputs", name],
      says: `: ${message.replace(/\.$/, "")}`,
    }));
  }
}

/** A run can begin again with a node of the workflow, not with one inside a body. */
function findUpgradeProblems(workflow: Workflow | undefined): readonly RuleProblem[] {
  const { upgrade, nodes = [] } = workflow ?? {};
  if (typeof upgrade !== "object" || nodes.some(({ id }) => id === upgrade.restart_from)) return [];
  const path = ["workflow", "upgrade", "restart_from"];
  return [{ kind: "rule", path, says: ` names no node of the workflow (${JSON.stringify(upgrade.restart_from)})` }];
}
