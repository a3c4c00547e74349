import { PLANTED } from "./planted-secrets.ts";

/** Who may be careless. */
export type Careless =
  | "tool"
  | "model"
  | "plugin"
  | "commit"
  | "authenticate"
  | "preview"
  | "broken"
  | "unavailable"
  | "unready";

/** A word that stays in an error when its credential does not: where it is found, the error itself was. */
export function markOf(who: Careless, index: number): string {
  return `mark-${who}-${index}-end`;
}

/** An error as somebody careless throws it, with one of the planted credentials in it, and in what caused it. */
export function carelessError(who: Careless, index: number): Error {
  const said = `${PLANTED[index]?.said} ${markOf(who, index)}`;
  return new Error(said, { cause: new Error(`because of ${said}`) });
}
