import { MAX_DOCUMENT_BYTES } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { CaseResult } from "../evaluate/experiment.ts";

/** The result of a case as a document, which has a limit: what a person reads last goes first. */
export function shortenResult(result: CaseResult): Json {
  const whole = plain(result);
  if (fits(whole)) return whole;
  const bare = result.trials.map(({ checks, notes, run, ...trial }) => ({
    ...trial,
    checks: checks.map(({ expected: _expected, actual: _actual, ...check }) => check),
    notes: notes.map(({ arguments: _arguments, ...note }) => note),
    ...(run !== undefined && {
      run: { ...run, output: null, calls: run.calls.map((call) => ({ ...call, arguments: null })), approvals: [] },
    }),
  }));
  for (let kept = bare.length; kept > 0; kept = Math.floor(kept / 2)) {
    const shorter = plain({ ...result, trials: bare.slice(0, kept) });
    if (fits(shorter)) return shorter;
  }
  return plain({ ...result, trials: [] });
}

/** Results are JSON, which their interfaces hide. */
export function plain(value: object): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function fits(value: Json): boolean {
  return new TextEncoder().encode(JSON.stringify(value)).byteLength <= MAX_DOCUMENT_BYTES;
}
