declare const OPERATOR: unique symbol;

/** Text the operator wrote. Only this may stand in the system role; text from outside never does. */
export type OperatorText = string & { readonly [OPERATOR]: true };

/**
 * Vouches that a text was written by the operator. A template without values needs no thought; a plain string is a promise,
 * so look where it comes from: never from a user, a tool, a document or a model.
 */
export function operatorText(text: string | TemplateStringsArray): OperatorText {
  const plain = typeof text === "string" ? text : text.join("");
  // The brand exists for the compiler alone.
  return plain as OperatorText;
}
