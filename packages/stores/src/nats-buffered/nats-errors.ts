import { RepriseError } from "@reprise/contracts";

/** JetStream's own numbers. */
const WRONG_LAST_SEQUENCE = 10_071;
const STREAM_NOT_FOUND = 10_059;

/** Whether another process wrote to the subject, or what was there is gone. */
export function isMoved(thrown: unknown): boolean {
  return codeOf(thrown) === WRONG_LAST_SEQUENCE;
}

export function isStreamMissing(thrown: unknown): boolean {
  return codeOf(thrown) === STREAM_NOT_FOUND;
}

/** Whatever the NATS server or the way to it threw, as one of our errors. */
export function fromNatsError(thrown: unknown): RepriseError {
  if (RepriseError.is(thrown)) return thrown;
  const problem = thrown instanceof Error ? thrown.message : String(thrown);
  const message = `The NATS server cannot be used: ${problem.replace(/\.$/, "")}.`;
  return new RepriseError("STORE_UNAVAILABLE", message, { cause: thrown, details: { reason: "nats" } });
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
