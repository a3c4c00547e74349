import { canonicalJson, RepriseError } from "@reprise/contracts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readWorkflow } from "../document/read-workflow.ts";
import type { Workflow } from "../document/workflow-document.ts";
import type { WorkflowProblem } from "../document/workflow-problem.ts";
import { compilePlan, hashWorkflow } from "./compile-plan.ts";
import { drawPlan } from "./draw-plan.ts";
import type { PlanVertex } from "./run-plan.ts";

function read(workflow: object): Workflow {
  return readWorkflow(JSON.stringify({ schema_version: "1.0", workflow: { id: "w", ...workflow } })).workflow;
}

const plan = (nodes: readonly object[], edges: readonly object[] = [], more: object = {}): readonly PlanVertex[] =>
  compilePlan(read({ nodes, edges, ...more })).vertices;

const idsOf = (vertices: readonly PlanVertex[]): readonly string[] => vertices.map(({ id }) => id);

function problemsOf(
  nodes: readonly object[],
  edges: readonly object[] = [],
): readonly (readonly [string, string, string])[] {
  try {
    plan(nodes, edges);
    return [];
  } catch (error) {
    if (!RepriseError.is(error, "WORKFLOW_INVALID_GRAPH")) throw error;
    return (error.details.problems as readonly WorkflowProblem[]).map(
      ({ kind, path, message }) => [kind, path, message] as const,
    );
  }
}

const input = (id: string) => ({ id, type: "input" });
const transform = (id: string, expression = "1") => ({ id, type: "transform", expression });
const edge = (from: string, to: string, more: object = {}) => ({ from, to, ...more });

describe("the order", () => {
  it("is the authored one where nothing else is said", () => {
    expect(idsOf(plan([input("c"), input("a"), input("b")]))).toEqual(["c", "a", "b"]);
  });

  it("puts a node behind those it depends on, by edge, by route and by data", () => {
    const nodes = [
      transform("last", 'run.outputs.first + run.outputs["second"]'),
      { id: "check", type: "condition", expression: "true", branches: [{ when: true, to: "second" }] },
      transform("second"),
      transform("first"),
    ];
    const vertices = plan(nodes, [edge("first", "check")]);
    expect(idsOf(vertices)).toEqual(["first", "check", "second", "last"]);
    expect(vertices.map(({ dependencies }) => dependencies)).toEqual([
      [],
      [{ on: "first", kind: "authored" }],
      [{ on: "check", kind: "routing", when: true }],
      [
        { on: "second", kind: "data" },
        { on: "first", kind: "data" },
      ],
    ]);
    expect(vertices.map(({ dependents }) => dependents)).toEqual([["check", "last"], ["second"], ["last"], []]);
  });

  it("reads data references of templates in prompts, messages, arguments, keys and inputs", () => {
    const nodes = [
      { id: "a", type: "agent", agent_ref: "x", prompt_template: "{{ run.outputs.z }}" },
      { id: "t", type: "tool", tool: "x", arguments: { deep: ["{{ run.outputs.z }}"] } },
      { id: "g", type: "human_gate", gate_type: "approval", message_template: "{{ run.outputs.z }}" },
      { id: "s", type: "subworkflow", workflow_ref: "x", inputs: { i: "{{ run.outputs.z }}" } },
      { id: "k", type: "transform", expression: "1", concurrency: { key: "{{ run.outputs.z }}", limit: 1 } },
      input("z"),
    ];
    expect(idsOf(plan(nodes))).toEqual(["z", "a", "t", "g", "s", "k"]);
  });

  it("leaves literal instructions alone", () => {
    const node = {
      id: "a",
      type: "agent",
      agent_ref: "x",
      prompt_template: "?",
      system_prompt_append: "{{ run.outputs.nowhere }}",
    };
    const agents = [{ id: "x", model: "m", provider: "p" }];
    expect(idsOf(plan([node], [], { agents }))).toEqual(["a"]);
  });
});

describe("routes", () => {
  const check = {
    id: "check",
    type: "condition",
    expression: "1",
    branches: [
      { when: true, to: "x" },
      { when: "other", to: "x" },
    ],
    default: "y",
  };

  it("has an entry for every branch, and handles add to them", () => {
    const vertices = plan(
      [check, input("x"), input("y"), input("z")],
      [edge("check:other", "z"), edge("check:default", "z"), edge("check:true", "x")],
    );
    const of = (id: string) => vertices.find((vertex) => vertex.id === id)?.dependencies;
    expect(of("x")).toEqual([
      { on: "check", kind: "routing", when: "other" },
      { on: "check", kind: "routing", when: true },
    ]);
    expect(of("y")).toEqual([{ on: "check", kind: "routing", when: "default" }]);
    expect(of("z")).toEqual([
      { on: "check", kind: "routing", when: "default" },
      { on: "check", kind: "routing", when: "other" },
    ]);
  });

  it("joins every branch of a parallel node, in the order of the branches", () => {
    const nodes = [
      { id: "m", type: "merge", strategy: "concat", parallel_of: "p" },
      input("c"),
      input("b2"),
      input("b"),
      input("a"),
      { id: "p", type: "parallel", parallel_of: ["a", "b", "c"] },
    ];
    const vertices = plan(nodes, [edge("b", "b2"), edge("b2", "m"), edge("p", "a")]);
    expect(idsOf(vertices)).toEqual(["p", "c", "b", "b2", "a", "m"]);
    expect(vertices.at(-1)?.dependencies).toEqual([
      { on: "a", kind: "routing" },
      { on: "b2", kind: "authored" },
      { on: "c", kind: "routing" },
    ]);
    expect(vertices.find(({ id }) => id === "a")?.dependencies).toEqual([{ on: "p", kind: "routing" }]);
  });

  it("keeps the label of an edge, and draws it", () => {
    const labelled = [{ from: "a", to: "b", label: "later" }];
    const compiled = compilePlan(read({ nodes: [input("a"), input("b")], edges: labelled }));
    expect(compiled.vertices[1]?.dependencies).toEqual([{ on: "a", kind: "authored", label: "later" }]);
    expect(drawPlan(compiled)).toContain('n0 -->|"later"| n1');
  });

  it("keeps the condition of an edge, and waits for what it reads", () => {
    const vertices = plan([input("a"), input("b"), input("c")], [edge("a", "b", { condition: "run.outputs.c > 1" })]);
    expect(idsOf(vertices)).toEqual(["a", "c", "b"]);
    expect(vertices[2]?.dependencies).toEqual([
      { on: "a", kind: "authored", condition: "run.outputs.c > 1" },
      { on: "c", kind: "data" },
    ]);
  });
});

describe("bodies", () => {
  it("are plans of their own, and their node waits for what they read outside", () => {
    const inner = transform("inner", "run.outputs.other + run.outputs.outside + item");
    const body = { nodes: [inner, transform("other")] };
    const loop = { id: "l", type: "loop", while: "true", max_iterations: 2, body };
    const vertices = plan([{ id: "f", type: "fan_out", over: "[1]", body: { nodes: [loop] } }, input("outside")]);
    expect(idsOf(vertices)).toEqual(["outside", "f"]);
    expect(vertices[1]?.dependencies).toEqual([{ on: "outside", kind: "data" }]);
    const loopVertex = vertices[1]?.body?.vertices[0];
    expect(loopVertex?.dependencies).toEqual([]);
    expect(idsOf(loopVertex?.body?.vertices ?? [])).toEqual(["other", "inner"]);
  });

  it("cannot read the node they belong to, and cannot be read from outside", () => {
    const fan = (expression: string) => ({
      id: "f",
      type: "fan_out",
      over: "[1]",
      body: { nodes: [transform("inner", expression)] },
    });
    expect(problemsOf([fan("run.outputs.f")])).toEqual([
      ["cycle", "workflow.nodes[0]", "workflow.nodes[0] waits for itself: f → f."],
    ]);
    expect(problemsOf([fan("1"), transform("t", "run.outputs.inner")])).toEqual([
      [
        "dangling_ref",
        "workflow.nodes[1].expression",
        "workflow.nodes[1].expression: run.outputs.inner cannot be read here: inner is in the body of f. Read the output of f.",
      ],
    ]);
  });
});

it("knows the agents of the document", () => {
  const agents = [{ id: "critic", model: "m", provider: "p" }];
  const node = (id: string, agent_ref: string) => ({ id, type: "agent", agent_ref, prompt_template: "?" });
  const vertices = plan([node("a", "critic"), node("b", "elsewhere")], [], { agents });
  expect(vertices.map(({ agent }) => agent)).toEqual([agents[0], undefined]);
});

it("hashes the whole document, whatever the order of its keys", () => {
  const of = (workflow: object): string =>
    hashWorkflow({ schema_version: "1.0", workflow: workflow as Workflow }, (text) => text);
  const nodes = [input("a")];
  expect(of({ id: "w", nodes })).toBe(of({ nodes, id: "w" }));
  const agents = [{ id: "critic", model: "m", provider: "p" }];
  expect(of({ id: "w", nodes, agents })).not.toBe(of({ id: "w", nodes, agents: [{ ...agents[0], model: "n" }] }));
});

describe("problems of the graph", () => {
  const check = { id: "check", type: "condition", expression: "1", branches: [{ when: true, to: "a" }] };

  it.each([
    [
      [input("a"), input("b")],
      [edge("a", "b"), edge("b", "a")],
      "cycle",
      "workflow.nodes[0] waits for itself: a → b → a.",
    ],
    [[transform("a", "run.outputs.a")], [], "cycle", "workflow.nodes[0] waits for itself: a → a."],
    [
      [input("alpha")],
      [edge("alpha", "alfa")],
      "unknown_edge_target",
      'workflow.edges[0].to names no node of this graph ("alfa"; the nearest is alpha).',
    ],
    [
      [input("a")],
      [edge("nowhere", "a")],
      "unknown_edge_target",
      'workflow.edges[0].from names no node of this graph ("nowhere").',
    ],
    [
      [{ ...check, branches: [{ when: 1, to: "nowhere" }] }],
      [],
      "unknown_edge_target",
      'workflow.nodes[0].branches[0].to names no node of this graph ("nowhere").',
    ],
    [
      [{ id: "p", type: "parallel", parallel_of: ["nowhere"] }],
      [],
      "unknown_edge_target",
      'workflow.nodes[0].parallel_of[0] names no node of this graph ("nowhere").',
    ],
    [
      [input("a"), { id: "m", type: "merge", strategy: "first", parallel_of: "a" }],
      [],
      "unknown_edge_target",
      "workflow.nodes[1].parallel_of must name a parallel node (a has the type input).",
    ],
    [
      [input("a"), input("b")],
      [edge("a:true", "b")],
      "invalid_handle",
      'workflow.edges[0].from has a handle ("true"), and a is no condition.',
    ],
    [
      [check, input("a")],
      [edge("check:false", "a")],
      "invalid_handle",
      'workflow.edges[0].from names no branch of check ("false"; branches: true).',
    ],
    [
      [check, input("a")],
      [edge("check:default", "a")],
      "invalid_handle",
      'workflow.edges[0].from names no branch of check ("default"; branches: true).',
    ],
    [
      [check, input("a")],
      [edge("check", "a")],
      "plain_condition_edge",
      "workflow.edges[0].from must name a branch of the condition check: `check:true`.",
    ],
    [
      [transform("t", "run.outputs.nowhere")],
      [],
      "dangling_ref",
      "workflow.nodes[0].expression: run.outputs.nowhere names no node.",
    ],
  ])("finds %#: %j %j", (nodes, edges, kind, message) => {
    expect(problemsOf(nodes, edges).map(([found, , text]) => [found, text])).toEqual([[kind, message]]);
  });

  it("are collected: every cycle, and every reference", () => {
    const nodes = [input("a"), input("b"), input("c"), input("d"), transform("e", "run.outputs.x + run.outputs.y")];
    const edges = [edge("a", "b"), edge("b", "a"), edge("b", "e"), edge("c", "d"), edge("d", "c")];
    expect(problemsOf(nodes, edges).map(([kind]) => kind)).toEqual(["dangling_ref", "dangling_ref", "cycle", "cycle"]);
  });
});

describe("laws", () => {
  /** A graph without cycles: edges lead from earlier to later nodes, and the nodes are then authored in any order. */
  const graph = fc
    .record({
      count: fc.integer({ min: 1, max: 25 }),
      pairs: fc.array(fc.tuple(fc.nat(24), fc.nat(24), fc.constantFrom("edge", "data")), { maxLength: 60 }),
      seed: fc.array(fc.nat(1000), { minLength: 25, maxLength: 25 }),
    })
    .map(({ count, pairs, seed }) => {
      const edges = pairs
        .map(([left, right, kind]) => [Math.min(left, right) % count, Math.max(left, right) % count, kind] as const)
        .filter(([from, to]) => from < to);
      const reads = (to: number): string =>
        edges.flatMap(([from, at, kind]) => (at === to && kind === "data" ? [`run.outputs.n${from}`] : [])).join(" + ");
      const nodes = Array.from({ length: count }, (_, index) => transform(`n${index}`, reads(index) || "0"))
        .map((node, index) => ({ node, key: seed[index] ?? 0 }))
        .toSorted((left, right) => left.key - right.key)
        .map(({ node }) => node);
      const drawn = edges.flatMap(([from, to, kind]) => (kind === "edge" ? [edge(`n${from}`, `n${to}`)] : []));
      return { nodes, edges: drawn, pairs: edges.map(([from, to]) => [`n${from}`, `n${to}`] as const) };
    });

  it("every vertex comes after those it depends on, and the earliest authored one comes first", () => {
    fc.assert(
      fc.property(graph, ({ nodes, edges, pairs }) => {
        const order = idsOf(plan(nodes, edges));
        expect(order.toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
        for (const [from, to] of pairs) expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
        // At every step the chosen vertex is the first authored one of those that are free.
        const authored = nodes.map(({ id }) => id);
        for (const [step, id] of order.entries()) {
          const before = new Set(order.slice(0, step));
          const free = authored.filter(
            (each) => !before.has(each) && pairs.every(([from, to]) => to !== each || before.has(from)),
          );
          expect(free[0]).toBe(id);
        }
      }),
    );
  });

  it("the order of keys changes nothing, and neither does compiling again", () => {
    const turn = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turn);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, item]) => [key, turn(item)]),
      );
    };
    fc.assert(
      fc.property(graph, ({ nodes, edges }) => {
        const workflow = read({ nodes, edges });
        const text = canonicalJson(compilePlan(workflow));
        expect(canonicalJson(compilePlan(workflow))).toBe(text);
        expect(canonicalJson(compilePlan(turn(workflow) as Workflow))).toBe(text);
      }),
    );
  });

  it("a cycle is always found, and named by nodes that do depend on each other", () => {
    fc.assert(
      fc.property(graph, fc.nat(24), fc.nat(24), ({ nodes, edges, pairs }, left, right) => {
        const [first, second] = [
          `n${Math.min(left, right) % nodes.length}`,
          `n${Math.max(left, right) % nodes.length}`,
        ];
        const closed = [...edges, edge(first, second), edge(second, first)];
        const [problem] = problemsOf(nodes, closed);
        expect(problem?.[0]).toBe("cycle");
        const cycle = problem?.[2].replace(/^.*: |\.$/g, "").split(" → ") ?? [];
        const all = [...pairs, [first, second], [second, first]];
        for (const [index, id] of cycle.slice(0, -1).entries()) {
          const next = cycle[index + 1];
          expect(all.some(([from, to]) => from === next && to === id)).toBe(true);
        }
      }),
    );
  });
});
