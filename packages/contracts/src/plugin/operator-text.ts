import { RepriseError } from "../errors/reprise-error.ts";

declare const OPERATOR: unique symbol;

/** Text the operator wrote. Only this may stand in the system role; text from outside never does. */
export type OperatorText = string & { readonly [OPERATOR]: true };

/**
 * Vouches that a text was written by the operator. A template needs no thought, because it takes no values; a plain string
 * is a promise, so look where it comes from: never from a user, a tool, a document or a model.
 */
export function operatorText(text: string | TemplateStringsArray, ...values: readonly never[]): OperatorText {
  if (values.length > 0) {
    throw new RepriseError(
      "INVALID_DEFINITION",
      "operatorText takes a template without values, because a value may come from outside.",
    );
  }
  const plain = typeof text === "string" ? text : text.join("");
  // The brand exists for the compiler alone.
  return plain as OperatorText;
}
