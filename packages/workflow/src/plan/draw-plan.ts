import type { PlanDependency, PlanVertex, RunPlan } from "./run-plan.ts";

/** Draws a plan as a Mermaid flowchart. Edges by data are dotted. */
export function drawPlan({ vertices }: RunPlan): string {
  return ["flowchart TD", ...drawVertices(vertices, "n", "  ")].join("\n");
}

function drawVertices(vertices: readonly PlanVertex[], prefix: string, indent: string): readonly string[] {
  const nameOf = new Map(vertices.map(({ id }, index) => [id, `${prefix}${index}`]));
  const lines = vertices.flatMap((vertex) => {
    const name = nameOf.get(vertex.id) ?? "";
    const own = `${indent}${name}${shapeOf(vertex)}`;
    if (vertex.body === undefined) return [own];
    const box = [
      `${indent}subgraph ${name}b["${label(`${vertex.id}: every ${vertex.type === "loop" ? "iteration" : "item"}`)}"]`,
    ];
    return [
      own,
      ...box,
      ...drawVertices(vertex.body.vertices, `${name}_`, `${indent}  `),
      `${indent}end`,
      `${indent}${name} --- ${name}b`,
    ];
  });
  const edges = vertices.flatMap(({ id, dependencies }) =>
    dependencies.map((dependency) => `${indent}${nameOf.get(dependency.on)} ${arrowOf(dependency)} ${nameOf.get(id)}`),
  );
  return [...lines, ...edges];
}

function shapeOf({ id, type }: PlanVertex): string {
  const text = `"${label(`${id} (${type})`)}"`;
  if (type === "condition") return `{${text}}`;
  return type === "human_gate" ? `{{${text}}}` : type === "input" || type === "output" ? `([${text}])` : `[${text}]`;
}

function arrowOf({ kind, when, condition, label: own }: PlanDependency): string {
  const words = [own, when === undefined ? undefined : String(when), condition]
    .filter((word) => word !== undefined)
    .join(", ");
  const arrow = kind === "data" ? "-.->" : "-->";
  return words === "" ? arrow : `${arrow}|"${label(words)}"|`;
}

/** Quotes and brackets would end a label. */
function label(text: string): string {
  return text.replaceAll(/["<>#&|\n]/g, (character) => `#${character.codePointAt(0)};`);
}
