import { type Message, textOf } from "@reprise/contracts";
import { turnOf } from "../../workload/chaos-model.ts";
import { placeInScript } from "../../workload/place-in-script.ts";
import { toolKind } from "../../workload/tool-kinds.ts";
import type { History, ThreadHistory, Violation } from "../history.ts";
import { indexHistory } from "../index-history.ts";
import { requestsOf } from "../requests.ts";
import { isSameJson } from "../same-json.ts";

/** I3: everything stored was caused by a request, or by a step of a run that existed. */
export function findInventions(history: History): readonly Violation[] {
  return [...history.threads.flatMap((thread) => checkThread(history, thread)), ...checkEffects(history)];
}

function checkThread(history: History, thread: ThreadHistory): readonly Violation[] {
  const { thread_id } = thread.thread;
  // No model speaks on a thread of a call by hand, and its run is named by the server.
  const isByHand = requestsOf(history.witness, "call_tool").some(({ ask }) => ask.thread_id === thread_id);
  if (isByHand) return checkDecisions(history, thread).map((message) => ({ invariant: "I3", thread_id, message }));
  const starts = requestsOf(history.witness, "start").filter(({ ask }) => ask.request.thread_id === thread_id);
  const runIds = new Set(starts.map(({ ask }) => ask.request.run_id));
  const said = new Map(starts.flatMap(({ ask }) => ask.request.messages.map(({ id, content }) => [id, content])));
  const problems = [
    ...thread.runs.filter(({ run }) => !runIds.has(run.run_id)).map(({ run }) => `Nobody asked for run ${run.run_id}.`),
    ...thread.entries
      .filter(({ run_id }) => !runIds.has(run_id))
      .map(({ entry_id }) => `Entry ${entry_id} is nobody's.`),
    ...thread.messages
      .filter(({ role }) => role === "user" || role === "system")
      .filter(({ id, content }) => !isSameJson(said.get(id), content))
      .map(({ id }) => `Nobody said message ${id}.`),
    ...checkPatches(history, thread),
    ...checkDecisions(history, thread),
    ...checkTurns(thread),
  ];
  return problems.map((message) => ({ invariant: "I3", thread_id, message }));
}

function checkPatches({ witness }: History, { thread, changesets }: ThreadHistory): readonly string[] {
  const asked = requestsOf(witness, "patch").filter(({ ask }) => ask.thread_id === thread.thread_id);
  const left = [...asked];
  return changesets
    .filter(({ run_id }) => run_id === null)
    .flatMap(({ version, patches }) => {
      const made = patches.flatMap(({ ops }) => ops);
      const cause = left.findIndex(({ ask }) => isSameJson(ask.ops, made));
      if (cause < 0) return [`Nobody asked for the patch of version ${version}, or only once.`];
      left.splice(cause, 1);
      return [];
    });
}

function checkDecisions({ witness }: History, { runs }: ThreadHistory): readonly string[] {
  const asked = new Set(requestsOf(witness, "decide").map(({ ask }) => ask.decision_id));
  return runs.flatMap(({ decisions }) =>
    decisions
      .filter(({ decision_id }) => !asked.has(decision_id))
      .map(({ decision_id }) => `Nobody made ${decision_id}.`),
  );
}

/** The model's words are those of its script at this place, or their beginning when the run was cut short. */
function checkTurns({ changesets }: ThreadHistory): readonly string[] {
  const problems: string[] = [];
  let visible: Message[] = [];
  for (const { messages, supersedes } of changesets) {
    visible = visible.filter(({ id }) => !supersedes.includes(id));
    for (const message of messages) {
      if (message.role === "assistant" && !isOfScript(visible, message))
        problems.push(`The model never said ${message.id}.`);
      visible.push(message);
    }
  }
  return problems;
}

function isOfScript(before: readonly Message[], message: Message): boolean {
  const place = placeInScript(before);
  if (place === undefined) return false;
  const { text, calls } = turnOf(place.script, place.step);
  const asked = (message.tool_calls ?? []).map((call) => ({ tool: call.name, arguments: call.arguments }));
  const isWhole = isSameJson(asked, calls) && textOf(message) === text.join("");
  return isWhole || (asked.length === 0 && text.join("").startsWith(textOf(message)));
}

/** A tool that changes the world does so only for a call that was committed before. */
function checkEffects(history: History): readonly Violation[] {
  const { calls } = indexHistory(history);
  return history.effects
    .filter(({ tool, call_id }) => toolKind(tool)?.class === "mutating" && !calls.has(call_id))
    .map(({ call_id, thread_id, run_id }) => {
      return { invariant: "I3", thread_id, run_id, message: `An effect is for call ${call_id}, which is not stored.` };
    });
}
