import { type ErrorCode, RepriseError } from "@reprise/contracts";
import { expect } from "vitest";

/** Expects a promise to be refused with a code, and returns the error. */
export async function expectRefusal(attempt: Promise<unknown>, code: ErrorCode): Promise<RepriseError> {
  const thrown: unknown = await attempt.then(
    () => new Error(`It was not refused with ${code}.`),
    (error: unknown) => error,
  );
  if (!RepriseError.is(thrown)) throw thrown;
  expect(thrown.code).toBe(code);
  return thrown;
}
