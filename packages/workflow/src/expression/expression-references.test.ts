import { expect, it } from "vitest";
import { formatReference } from "../template/template.ts";
import { expressionReferences } from "./expression-references.ts";

const read = (expression: string): readonly string[] => expressionReferences(expression).map(formatReference);

/** A value in a template string. */
function hole(expression: string): string {
  return `$\{${expression}}`;
}

it.each([
  ["run.outputs.a + run.outputs['b-c'].d[0]", ["run.outputs.a", "run.outputs.b-c.d[0]"]],
  ['run?.outputs?.["a"]?.b', ["run.outputs.a.b"]],
  ["run.outputs[key] ?? inputs.x", ["run.outputs", "inputs.x"]],
  [
    `\`${hole("inputs.a")} and ${hole("ctx.b")} ${hole(`\`${hole("run.outputs.c")}\``)}\``,
    ["inputs.a", "ctx.b", "run.outputs.c"],
  ],
  ["({ ...run.outputs.a, inputs: 1, b: { ctx: 2 } })", ["run.outputs.a"]],
  ["item.run.outputs.a + other.inputs.b", []],
  ["'run.outputs.a' + \"inputs.b\" // ctx.c\n + /* ctx.d */ 1", []],
  ["/inputs.a\\/[/]ctx.b/.test(inputs.c)", ["inputs.c"]],
  ["inputs.a / inputs.b / 2", ["inputs.a", "inputs.b"]],
  ["inputs.ok ? .5 : ctx.a", ["inputs.ok", "ctx.a"]],
  ["[inputs.a, inputs.b].map(run => run.x)", ["inputs.a", "inputs.b", "run", "run.x"]],
  ["runs.outputs.a + $inputs.b", []],
])("%s", (expression, references) => {
  expect(read(expression)).toEqual(references);
});
