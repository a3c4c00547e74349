import type { Json } from "@reprise/state";

/** A text with `{{ … }}` in it, parsed. */
export interface Template {
  readonly parts: readonly TemplatePart[];
}

export type TemplatePart = { readonly text: string } | TemplateSlot;

/** One `{{ … }}`: a value and the filters it passes through. */
export interface TemplateSlot {
  readonly value: TemplateReference | { readonly literal: string };
  readonly filters: readonly TemplateFilter[];
  /** Where it begins in the text. */
  readonly offset: number;
}

/** A way to a value: `run.outputs["n"].a` has the root `run` and three segments. */
export interface TemplateReference {
  readonly root: string;
  readonly segments: readonly (string | number)[];
}

export const TEMPLATE_FILTERS = ["read_file", "json", "length", "default"] as const;

export interface TemplateFilter {
  readonly name: (typeof TEMPLATE_FILTERS)[number];
  /** Of `default`: the text to use instead. */
  readonly argument?: string;
}

/** The values that templates and expressions see. */
export interface TemplateScope {
  readonly inputs: { readonly [name: string]: Json };
  readonly ctx: { readonly [key: string]: Json };
  /** The outputs of nodes that are done, by node id. */
  readonly outputs: { readonly [nodeId: string]: Json };
  /** Inside of a body: the item and its number, or the iteration and the last output. */
  readonly locals: { readonly [name: string]: Json };
}

export function isSlot(part: TemplatePart): part is TemplateSlot {
  return "value" in part;
}

/** The references of a template, in the order in which they stand. */
export function referencesOf(template: Template): readonly TemplateReference[] {
  return template.parts.flatMap((part) => (isSlot(part) && "root" in part.value ? [part.value] : []));
}

/** The one slot of a template that is nothing else. Its value keeps its JSON type where that is possible. */
export function wholeSlotOf({ parts }: Template): TemplateSlot | undefined {
  const [only] = parts;
  return parts.length === 1 && only !== undefined && isSlot(only) ? only : undefined;
}

/** A reference as it is written: `run.outputs["my node"].a`. */
export function formatReference({ root, segments }: TemplateReference): string {
  const written = segments.map((segment) => {
    if (typeof segment === "number") return `[${segment}]`;
    return /^[A-Za-z_][\w-]*$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
  });
  return `${root}${written.join("")}`;
}

/** The node whose output a reference reads: `n` of `run.outputs["n"].a`. */
export function outputNodeOf({ root, segments }: TemplateReference): string | undefined {
  const [first, node] = segments;
  return root === "run" && first === "outputs" && node !== undefined ? String(node) : undefined;
}
