import type { Json } from "@reprise/state";
import type { Refusal, WorkerAsk } from "../wire/worker-messages.ts";
import type { WitnessRecord } from "../witness/witness-record.ts";

/** A request with what came of it: an answer, a refusal, or neither when its connection was lost. */
export interface WitnessedRequest<Ask extends WorkerAsk = WorkerAsk> {
  readonly number: number;
  readonly at: number;
  readonly ask: Ask;
  readonly answer?: Json;
  readonly answeredAt?: number;
  readonly refusal?: Refusal;
}

const cache = new WeakMap<readonly WitnessRecord[], readonly WitnessedRequest[]>();

/** The requests of a witness of one kind, in the order they were made. */
export function requestsOf<Op extends WorkerAsk["op"]>(
  records: readonly WitnessRecord[],
  op: Op,
): readonly WitnessedRequest<Extract<WorkerAsk, { op: Op }>>[] {
  const all = cache.get(records) ?? collect(records);
  cache.set(records, all);
  // Filtered by the very field that tells the kinds apart.
  return all.filter(({ ask }) => ask.op === op) as unknown as readonly WitnessedRequest<
    Extract<WorkerAsk, { op: Op }>
  >[];
}

/** Whether somebody was told that a request has happened. */
export function isAcknowledged(request: WitnessedRequest): boolean {
  return request.answer !== undefined;
}

function collect(records: readonly WitnessRecord[]): readonly WitnessedRequest[] {
  const requests = new Map<number, WitnessedRequest>();
  for (const record of records) {
    if (record.type === "asked") {
      requests.set(record.request, { number: record.request, at: record.at, ask: record.ask });
      continue;
    }
    if (record.type !== "answered" && record.type !== "refused") continue;
    const request = requests.get(record.request);
    if (request === undefined) continue;
    const outcome =
      record.type === "answered"
        ? { answer: record.answer, answeredAt: record.at }
        : { refusal: record.refusal, answeredAt: record.at };
    requests.set(record.request, { ...request, ...outcome });
  }
  return nameRuns([...requests.values()]);
}

/** Fills in the runs that the server named: whoever came with the same key was told the same. */
function nameRuns(requests: readonly WitnessedRequest[]): readonly WitnessedRequest[] {
  const named = new Map<string, string>();
  for (const { ask, answer } of requests) {
    if (ask.op !== "start" || ask.idempotency_key === undefined || answer === undefined) continue;
    // The answer of `start` names the run.
    named.set(ask.idempotency_key, (answer as { readonly run_id: string }).run_id);
  }
  return requests.map((request) => {
    const { ask } = request;
    if (ask.op !== "start" || ask.request.run_id !== undefined) return request;
    const run_id = named.get(ask.idempotency_key ?? "");
    return run_id === undefined ? request : { ...request, ask: { ...ask, request: { ...ask.request, run_id } } };
  });
}
