import { assertJson } from "../document/assert-json.ts";
import { isObject, type Json } from "../document/json.ts";
import { invalidOperation } from "../document/state-error.ts";
import { assertSchema } from "./assert-schema.ts";
import type { FieldOptions } from "./field-options.ts";
import { type FieldPlan, PLAIN_PLAN, planFields, type UntypedFieldOptions } from "./field-plan.ts";
import { Slice, type UntypedOptions } from "./slice.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { createStateAction, withSlice } from "./state-action.ts";
import type { ActionArguments, ActionCreators, Reducers, StateDefinition } from "./state-definition.ts";
import { parseStatePath, STATE_SCOPES, type StateScope } from "./state-path.ts";

export interface StateOptions<State, Actions extends ActionArguments> {
  /** Where the state lives: keys joined by dots. It is also its name. */
  readonly path: string;
  /** How long it lives; `thread` unless said otherwise. */
  readonly scope?: StateScope;
  /** The state before the first action. Called for every read that finds nothing, so it must be cheap and pure. */
  readonly initial: () => State;
  /** Checks what reducers return. Must answer at once, not by a promise. */
  readonly schema?: StandardSchema<State>;
  /** Counts the shapes the state has had. Raise it when stored states no longer fit; 1 unless given. */
  readonly version?: number;
  /**
   * Makes today's state of one that an earlier version stored, given as it is in the document. Needed above version 1. Must be
   * pure: it is called by every read until its result is stored.
   */
  readonly migrate?: (stored: Json, from: number) => State;
  /** How single fields are stored. */
  readonly fields?: FieldOptions<State>;
  /** Reducers by action name. */
  readonly actions?: Reducers<State, Actions>;
}

/** Describes a piece of typed state. Every mistake in the description is reported here, all of them at once. */
export function defineState<State, Actions extends ActionArguments = Record<never, never>>(
  options: StateOptions<State, Actions>,
): StateDefinition<State> & ActionCreators<Actions> {
  const path = parseStatePath(options.path);
  const problems: string[] = [];
  const scope = options.scope ?? "thread";
  if (!STATE_SCOPES.includes(scope)) problems.push(`the scope is ${STATE_SCOPES.join(" or ")}, not ${String(scope)}`);
  const plan = planOptions(options, problems);
  problems.push(...versionProblems(options));
  // Callers see State through `initial` alone; inside, a state is JSON, which planOptions has checked.
  const slice = new Slice(options as UntypedOptions, path, scope, plan);
  const creators = Object.fromEntries(
    slice.actionNames.map((name) => [
      name,
      (...args: unknown[]) => withSlice(createStateAction(slice.name, name, args), slice),
    ]),
  );
  for (const name of Object.keys(creators)) {
    if (name in slice) problems.push(`an action cannot be called "${name}": every state has that member`);
  }
  if (problems.length > 0)
    throw invalidOperation(`the state "${options.path}" is not well defined: ${problems.join("; ")}`);
  // The creators were made from `actions`, name by name; the compiler cannot follow `fromEntries`.
  return Object.freeze(Object.assign(slice, creators)) as unknown as StateDefinition<State> & ActionCreators<Actions>;
}

function versionProblems({ version = 1, migrate }: Pick<UntypedOptions, "version" | "migrate">): readonly string[] {
  if (!Number.isSafeInteger(version) || version < 1) return [`the version must be 1, 2, … (got ${String(version)})`];
  if (version > 1 && migrate === undefined) return [`version ${version} needs migrate, for states of earlier versions`];
  return version === 1 && migrate !== undefined ? ["migrate needs a version above 1"] : [];
}

/** Checks the initial value and the field options, and compiles the latter. */
function planOptions<State, Actions extends ActionArguments>(
  options: StateOptions<State, Actions>,
  problems: string[],
): FieldPlan {
  const initial: unknown = options.initial();
  assertJson(initial, [options.path]);
  assertSchema(options.path, options.schema, initial);
  if (options.fields === undefined) return PLAIN_PLAN;
  if (!isObject(initial)) {
    problems.push("field options need a state that is an object");
    return PLAIN_PLAN;
  }
  // The typed options are a narrower form of the untyped ones.
  return planFields(options.fields as UntypedFieldOptions, initial, [], problems);
}
