import { describeThrown } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { parseTemplate } from "./parse-template.ts";
import { type FileScope, findReadProblem } from "./read-path.ts";
import {
  formatReference,
  isSlot,
  type Template,
  type TemplateFilter,
  type TemplateReference,
  type TemplateScope,
  type TemplateSlot,
  wholeSlotOf,
} from "./template.ts";

/** What templates may do beyond reading their scope. */
export interface TemplateCapabilities {
  /** Reads a text file. The path was checked against the scope by its text; links are for the host to resolve. */
  readonly readFile?: (path: string, scope: FileScope) => Promise<string>;
  /** `sandboxed` unless given. */
  readonly fsScope?: FileScope;
}

/** Why a template has no value. Fits a `NodeFailure`. */
export interface TemplateFailure {
  readonly code: "validation" | "tool_denied" | "tool_failed" | "internal";
  readonly message: string;
  readonly retryable: boolean;
}

export type Resolved<Value> = { readonly value: Value } | { readonly failure: TemplateFailure };

/** Puts the values into a text. Never throws. */
export async function renderTemplate(
  text: string,
  scope: TemplateScope,
  capabilities: TemplateCapabilities = {},
): Promise<Resolved<string>> {
  return attempt(async () => {
    let rendered = "";
    for (const part of read(text).parts)
      rendered += isSlot(part) ? toText(await resolveSlot(part, scope, capabilities)) : part.text;
    return rendered;
  });
}

/** The same for every text inside of a value. A text that is one single `{{ … }}` becomes its value, whatever its type. */
export async function resolveTemplates<Value extends Json>(
  value: Value,
  scope: TemplateScope,
  capabilities: TemplateCapabilities = {},
): Promise<Resolved<Value extends JsonObject ? JsonObject : Json>> {
  // An object stays an object: only texts are replaced.
  return attempt(
    async () => (await resolveDeep(value, scope, capabilities)) as Value extends JsonObject ? JsonObject : Json,
  );
}

async function resolveDeep(value: Json, scope: TemplateScope, capabilities: TemplateCapabilities): Promise<Json> {
  if (typeof value === "string") return resolveText(value, scope, capabilities);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) items.push(await resolveDeep(item, scope, capabilities));
    return items;
  }
  const entries: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) entries.push([key, await resolveDeep(item, scope, capabilities)]);
  return Object.fromEntries(entries);
}

async function resolveText(text: string, scope: TemplateScope, capabilities: TemplateCapabilities): Promise<Json> {
  if (!text.includes("{{")) return text;
  const template = read(text);
  const whole = wholeSlotOf(template);
  if (whole !== undefined) return resolveSlot(whole, scope, capabilities);
  const rendered = await renderTemplate(text, scope, capabilities);
  if ("failure" in rendered) throw new Unresolved(rendered.failure);
  return rendered.value;
}

/** Carries a failure out of the depth of a template. Never leaves this module. */
class Unresolved extends Error {
  readonly failure: TemplateFailure;

  constructor(failure: TemplateFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

async function attempt<Value>(resolve: () => Promise<Value>): Promise<Resolved<Value>> {
  try {
    return { value: await resolve() };
  } catch (error) {
    if (error instanceof Unresolved) return { failure: error.failure };
    throw error;
  }
}

function fail(code: TemplateFailure["code"], message: string, retryable = false): Unresolved {
  return new Unresolved({ code, message, retryable });
}

function read(text: string): Template {
  const parsed = parseTemplate(text);
  if ("problem" in parsed) throw fail("validation", `A template cannot be parsed: ${parsed.problem.message}.`);
  return parsed.template;
}

async function resolveSlot(
  slot: TemplateSlot,
  scope: TemplateScope,
  capabilities: TemplateCapabilities,
): Promise<Json> {
  const { value } = slot;
  const name = "literal" in value ? JSON.stringify(value.literal) : formatReference(value);
  let current: Json | undefined = "literal" in value ? value.literal : lookUp(value, scope);
  for (const filter of slot.filters) current = await applyFilter(filter, current, name, capabilities);
  if (current === undefined) throw missing(name);
  return current;
}

function missing(name: string): Unresolved {
  return fail("validation", `{{ ${name} }} has no value. Use {{ ${name} | default("…") }} where it may be absent.`);
}

async function applyFilter(
  filter: TemplateFilter,
  value: Json | undefined,
  name: string,
  capabilities: TemplateCapabilities,
): Promise<Json> {
  if (filter.name === "default") return value ?? filter.argument ?? "";
  if (value === undefined) throw missing(name);
  switch (filter.name) {
    case "json":
      return JSON.stringify(value);
    case "length":
      return lengthOf(value, name);
    case "read_file":
      return readFile(value, name, capabilities);
    default:
      return filter.name satisfies never;
  }
}

function lengthOf(value: Json, name: string): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (typeof value === "object" && value !== null) return Object.keys(value).length;
  throw fail(
    "validation",
    `{{ ${name} | length }} needs a string, an array or an object (got ${value === null ? "null" : `a ${typeof value}`}).`,
  );
}

async function readFile(value: Json, name: string, capabilities: TemplateCapabilities): Promise<string> {
  const { readFile: read, fsScope = "sandboxed" } = capabilities;
  if (typeof value !== "string")
    throw fail("validation", `{{ ${name} | read_file }} needs a path (got a value that is no string).`);
  const problem = findReadProblem(value, fsScope);
  if (problem !== undefined)
    throw fail("tool_denied", `{{ ${name} | read_file }}: the path ${JSON.stringify(value)} ${problem}.`);
  if (read === undefined)
    throw fail("internal", `{{ ${name} | read_file }}: this process gives workflows no files to read.`);
  try {
    return await read(value, fsScope);
  } catch (error) {
    throw fail(
      "tool_failed",
      `{{ ${name} | read_file }}: cannot read ${JSON.stringify(value)}: ${describeThrown(error)}.`,
      true,
    );
  }
}

/** Only own properties: a value's prototype is no part of it. */
function lookUp({ root, segments }: TemplateReference, scope: TemplateScope): Json | undefined {
  const { inputs, ctx, outputs, locals } = scope;
  let current: Json | undefined;
  if (root === "inputs") current = inputs;
  else if (root === "ctx") current = ctx;
  else if (root === "run") current = { outputs };
  else current = Object.hasOwn(locals, root) ? locals[root] : undefined;
  for (const segment of segments) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, segment)) return undefined;
    if (Array.isArray(current) && segment === "length") return undefined;
    // Own, as was just asked; arrays have their indexes for names.
    current = (current as { readonly [key: string]: Json })[segment];
  }
  return current;
}

/** Texts as they are; everything else as JSON. */
function toText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
