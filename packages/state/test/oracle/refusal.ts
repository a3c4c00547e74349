import { type Json, StateError, type StateErrorCode } from "../../src/index.ts";

/**
 * What the oracle throws where the rules refuse an operation. An operation that is wrong in several ways may be refused
 * for any of them: the rules do not say which is seen first.
 */
export class Refusal extends Error {
  readonly codes: readonly StateErrorCode[];

  constructor(...codes: readonly StateErrorCode[]) {
    super(codes.join(" or "));
    this.codes = codes;
  }
}

/** How applying something ended: with a document, or with a refusal. */
export type Outcome = { readonly document: Json } | { readonly refused: readonly StateErrorCode[] };

/** Runs the oracle or the engine; an error that is neither's is a bug and passes through. */
export function outcomeOf(run: () => Json): Outcome {
  try {
    return { document: run() };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.codes };
    if (StateError.is(error)) return { refused: [error.code] };
    throw error;
  }
}

/** The codes of the refusal, or none when it went well. */
export function refusalsOf(run: () => unknown): readonly StateErrorCode[] {
  const outcome = outcomeOf(() => {
    run();
    return null;
  });
  return "refused" in outcome ? outcome.refused : [];
}
