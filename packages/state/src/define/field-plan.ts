import { isJson } from "../document/assert-json.ts";
import { formatPath } from "../document/format-path.ts";
import { isObject, type Json, type JsonObject, typeName } from "../document/json.ts";
import { isReservedKey, type Path } from "../document/path.ts";
import type { Lattice } from "../lattice/lattice.ts";

/** Field options without their types: what the definition is checked and compiled from. */
export interface UntypedFieldOption {
  readonly rename?: string;
  readonly default?: () => unknown;
  readonly skip?: boolean;
  readonly nested?: UntypedFieldOptions;
  readonly flatten?: UntypedFieldOptions | true;
  readonly lattice?: Lattice;
}

export type UntypedFieldOptions = Readonly<Record<string, UntypedFieldOption>>;

/** How one field is stored. */
export interface Field {
  readonly name: string;
  /** The key it is stored under; a flattened field has none of its own. */
  readonly key: string;
  readonly kind: "plain" | "skip" | "nested" | "flatten" | "lattice";
  readonly default: (() => unknown) | undefined;
  readonly lattice: Lattice | undefined;
  /** The fields inside, when nested or flattened. */
  readonly plan: FieldPlan;
}

/** How an object is stored: every field of its initial value or its options. An empty plan stores it as it is. */
export interface FieldPlan {
  readonly byName: ReadonlyMap<string, Field>;
}

/** Stores a value as it is. */
export const PLAIN_PLAN: FieldPlan = { byName: new Map() };

/** Compiles field options against the initial value; every broken rule is added to `problems`. */
export function planFields(options: UntypedFieldOptions, initial: JsonObject, at: Path, problems: string[]): FieldPlan {
  const names = new Set([...Object.keys(initial), ...Object.keys(options)]);
  const fields = [...names].map((name) => {
    const option = options[name] ?? {};
    const path = [...at, name];
    const given = defaultValue(option, path, problems);
    const value = Object.hasOwn(initial, name) ? initial[name] : given;
    for (const problem of combinationProblems(option)) problems.push(`${formatPath(path)}: ${problem}`);
    for (const problem of valueProblems(option, value)) problems.push(`${formatPath(path)}: ${problem}`);
    return planField(name, option, value, path, problems);
  });
  const plan: FieldPlan = { byName: new Map(fields.map((field) => [field.name, field])) };
  for (const key of repeatedKeys(storedKeys(plan))) {
    problems.push(`${formatPath(at)}: two fields are stored under "${key}"`);
  }
  return plan;
}

function planField(
  name: string,
  option: UntypedFieldOption,
  value: Json | undefined,
  path: Path,
  problems: string[],
): Field {
  const inner = option.nested ?? (option.flatten === true ? {} : option.flatten);
  const plan = inner !== undefined && isObject(value) ? planFields(inner, value, path, problems) : PLAIN_PLAN;
  const { rename: key = name, lattice, skip } = option;
  // A skipped field is never stored, so every read needs a value for it.
  const missing = option.default ?? (skip === true ? () => value : undefined);
  return { name, key, kind: kindOf(option), default: missing, lattice, plan };
}

function kindOf(option: UntypedFieldOption): Field["kind"] {
  if (option.skip === true) return "skip";
  if (option.flatten !== undefined) return "flatten";
  if (option.nested !== undefined) return "nested";
  return option.lattice === undefined ? "plain" : "lattice";
}

/** A default is state, so it must be JSON: said here rather than at some later read. */
function defaultValue(option: UntypedFieldOption, path: Path, problems: string[]): Json | undefined {
  const value = option.default?.();
  if (option.default === undefined || isJson(value)) return value as Json | undefined;
  problems.push(`${formatPath(path)}: the default is not JSON`);
  return undefined;
}

/** Options that contradict each other. */
function combinationProblems(option: UntypedFieldOption): readonly string[] {
  const { rename, skip, nested, flatten, lattice } = option;
  const has = (value: unknown): boolean => value !== undefined;
  const rules: readonly [broken: boolean, problem: string][] = [
    [has(flatten) && has(rename), "flatten and rename exclude each other: a flattened field has no key"],
    [has(flatten) && has(nested), "flatten and nested exclude each other"],
    [has(flatten) && has(option.default), "flatten and default exclude each other: give the fields inside defaults"],
    [has(lattice) && has(nested), "lattice and nested exclude each other: a lattice merges as a whole"],
    [has(lattice) && has(flatten), "lattice and flatten exclude each other: a lattice merges as a whole"],
    [skip === true && [rename, nested, flatten, lattice].some(has), "a skipped field takes no option but default"],
    [rename === "" || (rename !== undefined && isReservedKey(rename)), `"${rename}" cannot be a key`],
  ];
  return rules.filter(([broken]) => broken).map(([, problem]) => problem);
}

/** Options that do not fit the field's value. Types are gone here, so the initial value stands for them. */
function valueProblems(option: UntypedFieldOption, value: Json | undefined): readonly string[] {
  const found = typeName(value);
  if (option.flatten !== undefined && !isObject(value))
    return [`flatten needs an object, the initial value is ${found}`];
  if (option.nested !== undefined && !isObject(value)) return [`nested needs an object, the initial value is ${found}`];
  if (option.lattice === undefined) return [];
  if (value === undefined || value === null) {
    return [`a lattice field cannot be optional: give it an initial ${option.lattice.name} instead of ${found}`];
  }
  return option.lattice.parse(value) === undefined ? [`the initial value is no ${option.lattice.name}`] : [];
}

/** The keys an object of this plan is stored under. */
function storedKeys(plan: FieldPlan): readonly string[] {
  return [...plan.byName.values()].flatMap((field) => {
    if (field.kind === "skip") return [];
    return field.kind === "flatten" ? storedKeys(field.plan) : [field.key];
  });
}

function repeatedKeys(keys: readonly string[]): ReadonlySet<string> {
  return new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
}
