import {
  flag,
  json,
  listOf,
  narrowed,
  needed,
  nonEmptyText,
  numberFrom,
  type ObjectShape,
  objectOf,
  oneOf,
  optional,
  type Shape,
  text,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import { getAt, type Json, type JsonObject } from "@reprise/state";

/**
 * How the calls of a run are held against the expected ones.
 * - `exact`: these calls in this order, and no other.
 * - `in_order`: these calls in this order, with any others between them.
 * - `any_order`: these calls in any order, with any others between them.
 * - `subset`: no call that is not among these.
 */
export type CallMatch = "exact" | "in_order" | "any_order" | "subset";

/** A call as a case expects it. Arguments that are objects may leave fields out: those count for nothing. */
export interface ExpectedCall {
  readonly tool: string;
  readonly arguments?: Json;
  readonly outcome?: "succeeded" | "failed" | "cancelled" | "suspended";
}

export interface StateExpectation {
  /** Keys and indexes with dots between them: `orders.0.status`. */
  readonly path: string;
  readonly equals?: Json;
  readonly exists?: boolean;
  /** A regular expression over a text. */
  readonly matches?: string;
}

export interface OutputExpectation {
  /** Of the structured output, or else of the text. */
  readonly equals?: Json;
  readonly contains?: readonly string[];
  readonly excludes?: readonly string[];
  /** JSON Schema of the structured output, or of the text read as JSON. */
  readonly schema?: JsonObject;
}

export interface EvalLimits {
  readonly cost_microcents?: number;
  readonly tokens?: number;
  readonly steps?: number;
  readonly tool_calls?: number;
  /** Only where models and tools are live: answers from a recording take no time. */
  readonly latency_ms?: number;
}

/** A model that says how well a run meets a rubric. */
export interface JudgeExpectation {
  /** Names the judge within the case. */
  readonly id: string;
  /** A model by its id, as agents name theirs. */
  readonly model: string;
  readonly rubric: string;
  /** The least score that passes, from 0 to 1. */
  readonly threshold: number;
}

/** The parts of a verdict that a case can have. */
const CHECK_KINDS = ["tools", "approvals", "state", "output", "ended", "limits", "judges"] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** What a run of a case should come to. Everything is optional: without expectations only the playback itself is checked. */
export interface Expectations {
  readonly tools?: { readonly match: CallMatch; readonly calls: readonly ExpectedCall[] };
  /** The calls that a person is asked about, in any order: these and no others. */
  readonly approvals?: readonly ExpectedCall[];
  readonly state?: readonly StateExpectation[];
  readonly output?: OutputExpectation;
  /** How the run ends, as its record says it: `natural`, `stopped:max_rounds_reached`, `error`, `waiting`. */
  readonly ended?: string;
  readonly limits?: EvalLimits;
  /** Asked in the live modes; in the others what they said is read from the case. */
  readonly judges?: readonly JudgeExpectation[];
  /** Checks that warn instead of failing. */
  readonly warn_only?: readonly CheckKind[];
}

const EXPECTED_CALL: ObjectShape<ExpectedCall> = objectOf<ExpectedCall>({
  tool: needed(nonEmptyText),
  arguments: optional(json),
  outcome: optional(oneOf("succeeded", "failed", "cancelled", "suspended")),
});

const pattern: Shape<string> = narrowed(nonEmptyText, (value) => {
  try {
    new RegExp(String(value), "u");
    return undefined;
  } catch {
    return "it must be a regular expression";
  }
});

const anySchema: Shape<JsonObject> = narrowed(json as Shape<JsonObject>, (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? undefined : "it must be a JSON Schema",
);

const fromZeroToOne: Shape<number> = narrowed(numberFrom(0), (value) =>
  Number(value) <= 1 ? undefined : "it must be at most 1",
);

const judges: Shape<readonly JudgeExpectation[]> = narrowed(
  listOf(
    objectOf<JudgeExpectation>({
      id: needed(nonEmptyText),
      model: needed(nonEmptyText),
      rubric: needed(nonEmptyText),
      threshold: needed(fromZeroToOne),
    }),
  ),
  (value) => {
    const ids = Array.isArray(value) ? value.map((judge) => getAt(judge, ["id"])) : [];
    return new Set(ids).size === ids.length ? undefined : "each judge must have an id of its own";
  },
);

export const EXPECTATIONS: ObjectShape<Expectations> = objectOf<Expectations>({
  tools: optional(
    objectOf<NonNullable<Expectations["tools"]>>({
      match: needed(oneOf("exact", "in_order", "any_order", "subset")),
      calls: needed(listOf(EXPECTED_CALL)),
    }),
  ),
  approvals: optional(listOf(EXPECTED_CALL)),
  state: optional(
    listOf(
      objectOf<StateExpectation>({
        path: needed(nonEmptyText),
        equals: optional(json),
        exists: optional(flag),
        matches: optional(pattern),
      }),
    ),
  ),
  output: optional(
    objectOf<OutputExpectation>({
      equals: optional(json),
      contains: optional(listOf(text)),
      excludes: optional(listOf(text)),
      schema: optional(anySchema),
    }),
  ),
  ended: optional(nonEmptyText),
  limits: optional(
    objectOf<EvalLimits>({
      cost_microcents: optional(numberFrom(0)),
      tokens: optional(wholeNumberFrom(0)),
      steps: optional(wholeNumberFrom(0)),
      tool_calls: optional(wholeNumberFrom(0)),
      latency_ms: optional(numberFrom(0)),
    }),
  ),
  judges: optional(judges),
  warn_only: optional(listOf(oneOf(...CHECK_KINDS))),
});
