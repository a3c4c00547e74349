import { type MailboxEntry, type Message, textOf } from "@reprise/contracts";
import { turnOf } from "../../workload/chaos-model.ts";
import { isOfFlow } from "../../workload/flow-document.ts";
import { placeInScript } from "../../workload/place-in-script.ts";
import { scriptNamed } from "../../workload/run-script.ts";
import { scheduledTime } from "../../workload/schedule-document.ts";
import { toolKind } from "../../workload/tool-kinds.ts";
import type { History, ThreadHistory, Violation } from "../history.ts";
import { indexHistory } from "../index-history.ts";
import { isBackground, lineageOf } from "../lineage.ts";
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
  // Nor on one of a schedule, whose runs nobody asks for.
  if (isByHand || scheduledTime(thread_id) !== undefined)
    return checkDecisions(history, thread).map((message) => ({ invariant: "I3", thread_id, message }));
  const starts = requestsOf(history.witness, "start").filter(({ ask }) => ask.request.thread_id === thread_id);
  const started = thread.entries.filter((entry) => isCausedByRun(history, entry));
  const runIds = new Set([...starts.map(({ ask }) => ask.request.run_id), ...started.map(({ run_id }) => run_id)]);
  const said = new Map(starts.flatMap(({ ask }) => ask.request.messages.map(({ id, content }) => [id, content])));
  // What runs say to each other has no id before it is stored.
  const written = started.flatMap(({ request }) => request?.messages ?? []).map(({ content }) => content);
  const problems = [
    ...thread.runs.filter(({ run }) => !runIds.has(run.run_id)).map(({ run }) => `Nobody asked for run ${run.run_id}.`),
    ...thread.entries
      .filter(({ run_id }) => !runIds.has(run_id))
      .map(({ entry_id }) => `Entry ${entry_id} is nobody's.`),
    ...thread.messages
      .filter(({ role }) => role === "user" || role === "system")
      .filter(({ id, content }) => !isSameJson(said.get(id), content) && !written.some((text) => text === content))
      .map(({ id }) => `Nobody said message ${id}.`),
    ...checkPatches(history, thread),
    ...checkDecisions(history, thread),
    ...checkTurns(thread),
  ];
  return problems.map((message) => ({ invariant: "I3", thread_id, message }));
}

/** Whether a call asked for the run of an entry, or it is the notice of a run that a call started in the background. */
function isCausedByRun(history: History, { kind, run_id }: MailboxEntry): boolean {
  const { below, notices } = lineageOf(history);
  if (notices.has(run_id)) return true;
  const child = below.get(run_id);
  if (child === undefined) return kind !== "run" && notices.has(run_id);
  const { parent_run_id = "", parent_call_id, messages } = child.request;
  const tool = isBackground(child) ? "dispatch" : "delegate";
  const calls = indexHistory(history).runs.get(parent_run_id)?.calls ?? [];
  return calls.some(
    ({ call_id, tool_id, arguments: asked }) =>
      tool_id === tool &&
      parent_call_id === call_id &&
      isSameJson(asked, { script: scriptNamed(messages[0] === undefined ? "" : textOf(messages[0])) }),
  );
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

function checkDecisions(history: History, { runs }: ThreadHistory): readonly string[] {
  const asked = new Set(requestsOf(history.witness, "decide").map(({ ask }) => ask.decision_id));
  for (const runId of lineageOf(history).below.keys()) asked.add(`end-of-${runId}`);
  return runs.flatMap(({ decisions }) =>
    decisions
      .filter(({ decision_id }) => !asked.has(decision_id))
      .map(({ decision_id }) => `Nobody made ${decision_id}.`),
  );
}

/** The model's words are those of its script at this place, or their beginning when the run was cut short. */
function checkTurns({ thread, changesets }: ThreadHistory): readonly string[] {
  // No model speaks on the thread of a workflow; its answers are looked at with its nodes.
  if (isOfFlow(thread.thread_id)) return [];
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
