import type { WorkerAsk } from "../../wire/worker-messages.ts";
import type { History, Violation } from "../history.ts";
import { requestsOf } from "../requests.ts";

/** Refusals that say "not now": the store is away, full, or closing. */
const FOR_LATER: readonly string[] = [
  "STORE_UNAVAILABLE",
  "STORAGE_FULL",
  "RUNTIME_CLOSED",
  "AGENT_NOT_FOUND",
  "UNDER_WAY",
];

/** What each request may be refused with for a good reason. */
const EXPECTED: Readonly<Partial<Record<WorkerAsk["op"], readonly string[]>>> = {
  start: ["THREAD_BUSY"],
  decide: ["DECISION_CONFLICT", "RUN_NOT_ACTIVE", "RUN_NOT_FOUND", "NOT_SUSPENDED", "CALL_NOT_FOUND"],
  cancel: ["RUN_NOT_ACTIVE"],
  patch: ["THREAD_BUSY", "VERSION_CONFLICT"],
};

/** Part of I5: a request that is in order is not refused, whatever happened to the process or its store. */
export function findFalseRefusals({ witness }: History): readonly Violation[] {
  // The keys of the table are its names.
  const operations = Object.keys(EXPECTED) as (keyof typeof EXPECTED)[];
  return operations.flatMap((op) =>
    requestsOf(witness, op).flatMap(({ refusal, number }): readonly Violation[] => {
      if (refusal === undefined) return [];
      if (FOR_LATER.includes(refusal.code) || EXPECTED[op]?.includes(refusal.code) === true) return [];
      return [
        { invariant: "I5", message: `Request ${number} (${op}) was refused: ${refusal.code} ${refusal.message}` },
      ];
    }),
  );
}
