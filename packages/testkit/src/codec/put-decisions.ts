import type { Decision, RunRecord, SuspendTicket, TenantStore } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { buildDecision } from "../build/build-records.ts";
import type { StoreBench } from "../store/store-bench.ts";
import type { Corpus } from "./corpus.ts";
import type { Reading } from "./reading.ts";

/** A run that waits for several calls, whose questions and answers are hostile, and is then told to end. */
export async function putDecisions(bench: StoreBench, corpus: Corpus, threadId: string): Promise<readonly Reading[]> {
  const owner = await bench.start(threadId);
  const { tenant } = bench;
  const ids = Array.from({ length: 6 }, (_, index) => `${threadId}-c${index}`);
  const calls = ids.map((id) => owner.call(id, { status: "suspended", suspension: 1, ticket: makeTicket(corpus, id) }));
  await owner.become("waiting", { calls });
  const decisions = ids.map((call_id, index) => makeDecision(corpus, { run_id: owner.runId, call_id }, index));
  await Promise.all(decisions.map((decision) => tenant.decide(decision)));
  const reason = corpus.text();
  await tenant.requestCancel(owner.runId, reason);
  const load = ({ run_id, call_id }: Decision, store: TenantStore) => store.loadDecision(run_id, call_id, 1);
  return [
    {
      place: "calls",
      expected: calls.map(({ ticket }) => ticketValue(ticket)),
      read: async (store) =>
        (await store.listCalls({ run_id: owner.runId })).items.map(({ ticket }) => ticketValue(ticket)),
    },
    {
      place: "decisions",
      expected: decisions.map(decisionValue),
      read: async (store) =>
        (await Promise.all(decisions.map((decision) => load(decision, store)))).map(
          (found) => found && decisionValue(found),
        ),
    },
    {
      place: "decisions in the inbox",
      expected: decisions.map(decisionValue),
      read: async (store) => {
        const inbox = await store.readInbox(threadId, owner.runId);
        // They were stored at the same time, so that any order is right.
        return inbox.decisions.toSorted((one, other) => (one.call_id < other.call_id ? -1 : 1)).map(decisionValue);
      },
    },
    {
      place: "why a run is to end",
      expected: [reason],
      read: async (store) => [(await store.readInbox(threadId, owner.runId)).cancel?.reason],
    },
  ];
}

function makeTicket(corpus: Corpus, callId: string): SuspendTicket {
  return {
    suspension: {
      id: `s-${callId}`,
      action: "ask",
      message: corpus.text(),
      parameters: corpus.json(),
      response_schema: corpus.record(),
    },
    pending: { id: callId, name: corpus.text(), arguments: corpus.json() },
    resume_mode: "use_decision_as_tool_result",
  };
}

function makeDecision(corpus: Corpus, place: Pick<RunRecord, "run_id"> & { call_id: string }, index: number): Decision {
  const edited = index % 2 === 0 ? { arguments: corpus.json() } : { result: corpus.json() };
  return buildDecision({ ...place, decision_id: `d-${place.call_id}`, reason: corpus.text(), ...edited });
}

function decisionValue({ call_id, decision_id, arguments: edited, result, reason }: Decision): Json {
  return [call_id, decision_id, edited ?? null, result ?? null, reason ?? null];
}

function ticketValue(ticket: SuspendTicket | undefined): Json {
  const { message, parameters, response_schema } = ticket?.suspension ?? {};
  return [
    message ?? null,
    parameters ?? null,
    response_schema ?? null,
    ticket?.pending.name ?? null,
    ticket?.pending.arguments ?? null,
  ];
}
