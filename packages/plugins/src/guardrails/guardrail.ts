import type { PhaseContext } from "@reprise/contracts";
import {
  narrowed,
  needed,
  nonEmptyText,
  type ObjectShape,
  objectOf,
  oneOf,
  optional,
  type Shape,
  wholeNumberFrom,
  withOneOf,
} from "@reprise/contracts/shape";
import { compileReplacer, PatternProblem } from "../tool-pattern/text-matcher.ts";
import { DETECTORS, type DetectorName } from "./detectors.ts";

/** The result of your own check: nothing or false when the text passes. */
export type CheckAnswer = boolean | string | { readonly reason?: string; readonly redacted?: string } | undefined;

/**
 * A check of your own. It may ask a model or a service; its answer is stored with the run. One that throws fails the run: a rule that could
 * not be checked must not be skipped.
 */
export type Check = (text: string, context: CheckContext) => CheckAnswer | Promise<CheckAnswer>;

export type CheckContext = Pick<PhaseContext, "runId" | "threadId" | "agentId" | "tenant" | "signal" | "messages">;

/** One rule about texts. Exactly one of `detect`, `pattern`, `maxChars` and `check` says what it looks for. */
export interface Guardrail<Action extends string> {
  /** Shown in events, and to the person who is asked. */
  readonly name: string;
  /** Looks for something well-known. */
  readonly detect?: DetectorName;
  /** Looks for a regular expression of RE2, anywhere in the text. */
  readonly pattern?: string;
  /** Finds texts that are longer. */
  readonly maxChars?: number;
  /** Asks the function of this name in `checks`. */
  readonly check?: string;
  readonly action: Action;
  /** The text that people read instead (`block`), or the question (`ask`). */
  readonly message?: string;
}

export type InputGuardrail = Guardrail<"block" | "redact" | "ask">;

export interface OutputGuardrail extends Guardrail<"block" | "redact" | "retry" | "ask"> {
  /** The text that the model reads before it tries again (`retry`). */
  readonly feedback?: string;
  /** How often it may try; after that the answer is blocked. 2 unless given. */
  readonly maxRetries?: number;
}

/** A guardrail as it is stored. */
export interface StoredGuardrail {
  readonly name: string;
  readonly detect?: DetectorName;
  readonly pattern?: string;
  readonly max_chars?: number;
  readonly check?: string;
  readonly action: "block" | "redact" | "retry" | "ask";
  readonly message?: string;
  readonly feedback?: string;
  readonly max_retries?: number;
}

const pattern: Shape<string> = narrowed(nonEmptyText, (source) => {
  try {
    compileReplacer(String(source));
    return undefined;
  } catch (error) {
    if (error instanceof PatternProblem) return error.message;
    throw error;
  }
});

// The words of an object are its keys.
const DETECTED = Object.keys(DETECTORS) as DetectorName[];

function guardrailShape(...actions: readonly StoredGuardrail["action"][]): ObjectShape<StoredGuardrail> {
  return objectOf<StoredGuardrail>({
    name: needed(nonEmptyText, "The name of the guardrail in events and questions."),
    detect: optional(oneOf(...DETECTED), "Looks for something well-known."),
    pattern: optional(pattern, "Looks for a regular expression of RE2, anywhere in the text."),
    max_chars: optional(wholeNumberFrom(1), "Finds texts that are longer."),
    check: optional(nonEmptyText, "Asks the function of this name, which the program gives in `checks`."),
    action: needed(oneOf(...actions), "What happens to a text in which something is found."),
    message: optional(nonEmptyText, "What people read instead of a blocked text, or as the question."),
    feedback: optional(nonEmptyText, "What the model is told before it tries again."),
    max_retries: optional(
      wholeNumberFrom(0),
      "How often the model may try again; then the answer is blocked. 2 unless given.",
    ),
  });
}

const WANTED = ["detect", "pattern", "max_chars", "check"] as const;

export const inputShape: Shape<StoredGuardrail> = withOneOf(guardrailShape("block", "redact", "ask"), ...WANTED);
export const outputShape: Shape<StoredGuardrail> = withOneOf(
  guardrailShape("block", "redact", "retry", "ask"),
  ...WANTED,
);

/** Something that a guardrail found. */
export interface Finding {
  readonly rule: StoredGuardrail;
  readonly reason?: string;
  /** The text without it. */
  readonly redacted: string;
}

/** A guardrail that is ready to look at texts. */
export type Inspect = (
  text: string,
  context: CheckContext & Pick<PhaseContext, "record">,
  of: string,
) => Promise<Finding | undefined> | Finding | undefined;

export function compileGuardrail(rule: StoredGuardrail, checks: Readonly<Record<string, Check>>): Inspect {
  const by = `[${rule.name}]`;
  const { detect, max_chars: most, check: name } = rule;
  if (most !== undefined) {
    return (text) => (text.length > most ? { rule, redacted: text.slice(0, most).toWellFormed() } : undefined);
  }
  const check = name === undefined ? undefined : checks[name];
  if (check !== undefined) {
    return async (text, context, of) => {
      const answer = await context.record(`${rule.name} ${of}`, async () => readAnswer(await check(text, context)));
      return answer === null ? undefined : { rule, redacted: by, ...answer };
    };
  }
  const replace = detect === undefined ? compileReplacer(rule.pattern ?? "") : DETECTORS[detect];
  return (text) => {
    const redacted = replace(text, by);
    return redacted === undefined ? undefined : { rule, redacted };
  };
}

/** The answer of a check as it is recorded; null when the text passes. */
function readAnswer(answer: CheckAnswer): { readonly reason?: string; readonly redacted?: string } | null {
  if (answer === undefined || answer === false) return null;
  if (answer === true) return {};
  if (typeof answer === "string") return { reason: answer };
  const { reason, redacted } = answer;
  return { ...(reason !== undefined && { reason }), ...(redacted !== undefined && { redacted }) };
}
