import { invalidRequest, RUN_REQUEST, type RunRequest } from "@reprise/contracts";
import { isJson } from "@reprise/state";
import { assertShape } from "../thread/assert-message.ts";

/** Refuses a request that could not become a run, before anything is stored. Requests come from clients: nothing is assumed. */
export function assertRequest(request: RunRequest): void {
  if (!isJson(request)) throw invalidRequest("A run request must be a JSON object.");
  assertShape(RUN_REQUEST, request);
  assertRestore(request);
}

/** `restore` rewinds the thread: it cannot be combined with continuing a run, nor with decisions about one. */
function assertRestore({ restore, busy_policy = "interrupt", initial_decisions = [], messages }: RunRequest): void {
  if (restore === undefined) return;
  if (busy_policy === "continue" || busy_policy === "steer") {
    throw invalidRequest(`restore cannot be combined with the busy_policy ${JSON.stringify(busy_policy)}.`);
  }
  if (initial_decisions.length > 0) {
    throw invalidRequest("restore cannot be combined with decisions: no call waits after it.");
  }
  if (restore.keep_input !== true && messages.length === 0) {
    throw invalidRequest("restore withdraws the earlier messages: send messages, or set keep_input.");
  }
}
