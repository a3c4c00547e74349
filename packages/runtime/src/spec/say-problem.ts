import type { ShapeProblem } from "@reprise/contracts/shape";

/** A problem of a spec as a sentence that begins with its field: `` `stop_condition_specs`[0].rounds is needed ``. */
export function sayProblem({ path, says, found }: ShapeProblem): string {
  const [field = "", ...rest] = path;
  const inside = rest.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return `\`${field}\`${inside}${says}${found === undefined ? "" : `, not ${found.value}`}`;
}
