import type { Decision, MailboxEntry } from "@reprise/contracts";
import type { AskOf } from "../../wire/worker-messages.ts";
import type { History, Violation } from "../history.ts";
import { indexHistory } from "../index-history.ts";
import { isAcknowledged, requestsOf, type WitnessedRequest } from "../requests.ts";
import { isSameJson } from "../same-json.ts";

/** I1: whatever was acknowledged is in the store, as it was sent. */
export function findLostAcknowledgements(history: History): readonly Violation[] {
  const { witness } = history;
  return [
    ...requestsOf(witness, "start")
      .filter(isAcknowledged)
      .flatMap((start) => checkStart(history, start)),
    ...requestsOf(witness, "decide")
      .filter(isAcknowledged)
      .flatMap((decide) => checkDecision(history, decide)),
    ...requestsOf(witness, "cancel")
      .filter(isAcknowledged)
      .flatMap((cancel) => checkCancel(history, cancel)),
    ...requestsOf(witness, "patch")
      .filter(isAcknowledged)
      .flatMap((patch) => checkPatch(history, patch)),
  ];
}

function checkStart(history: History, { ask }: WitnessedRequest<AskOf<"start">>): readonly Violation[] {
  const { thread_id = "", run_id = "", messages } = ask.request;
  const thread = history.threads.find(({ thread }) => thread.thread_id === thread_id);
  const entry = thread?.entries.find((item) => item.kind === "run" && item.run_id === run_id);
  const lost = (message: string): readonly Violation[] => [{ invariant: "I1", message, thread_id, run_id }];
  if (thread === undefined || entry === undefined) return lost("An accepted run is not in the mailbox.");
  if (!isSameJson(entry.request?.messages, messages)) return lost("An accepted request is stored otherwise than sent.");
  if (!wasTakenIn(entry)) return [];
  const missing = messages.filter(
    ({ id, content }) => !thread.messages.some((stored) => stored.id === id && isSameJson(stored.content, content)),
  );
  return missing.flatMap(({ id }) => lost(`Message ${id} of an accepted run is not in its thread.`));
}

function wasTakenIn({ status }: MailboxEntry): boolean {
  return status === "accepted";
}

function checkDecision(history: History, { answer }: WitnessedRequest<AskOf<"decide">>): readonly Violation[] {
  // The answer to a decision is the decision as it was stored.
  const told = answer as unknown as Decision;
  const { run_id, call_id, suspension } = told;
  const stored = indexHistory(history)
    .runs.get(run_id)
    ?.decisions.find((decision) => decision.call_id === call_id && decision.suspension === suspension);
  if (isSameJson(stored, told)) return [];
  const found = stored === undefined ? "is not stored" : `is stored as ${stored.decision_id}`;
  return [{ invariant: "I1", run_id, message: `Decision ${told.decision_id} was accepted and ${found}.` }];
}

function checkCancel(history: History, { ask }: WitnessedRequest<AskOf<"cancel">>): readonly Violation[] {
  const { run_id } = ask;
  const run = indexHistory(history).runs.get(run_id)?.run;
  if (run === undefined || run.status === "done") return [];
  return [{ invariant: "I1", run_id, message: `The run was cancelled and is ${run.status}.` }];
}

function checkPatch(history: History, { ask, answer }: WitnessedRequest<AskOf<"patch">>): readonly Violation[] {
  const { thread_id, ops } = ask;
  const thread = history.threads.find(({ thread }) => thread.thread_id === thread_id);
  const changeset = thread?.changesets.find(({ version }) => version === answer);
  const stored = changeset?.patches.flatMap((patch) => patch.ops);
  if (isSameJson(stored, ops)) return [];
  return [{ invariant: "I1", thread_id, message: `The patch that was accepted as version ${answer} is not there.` }];
}
