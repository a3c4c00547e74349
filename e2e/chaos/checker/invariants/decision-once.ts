import type { Decision, DecisionVerb } from "@reprise/contracts";
import { answerOf } from "../../workload/chaos-tools.ts";
import { type AskedQuestion, type CallStory, tellCalls } from "../call-story.ts";
import type { History, ThreadHistory, Violation } from "../history.ts";
import { isAcknowledged, requestsOf } from "../requests.ts";
import { isSameJson } from "../same-json.ts";

/** I7: a question is answered once; asking again gives the same answer, and what was decided is what happened. */
export function findRepeatedDecisions(history: History): readonly Violation[] {
  return [
    ...checkAnswers(history),
    ...history.threads.flatMap(checkUses),
    ...checkTargets(history),
    ...tellCalls(history).flatMap((story) =>
      checkOutcome(story).map((message): Violation => {
        return { invariant: "I7", thread_id: story.call.thread_id, run_id: story.call.run_id, message };
      }),
    ),
  ];
}

/** A decision id has one answer, and a question has one decision id that was accepted. */
function checkAnswers({ witness }: History): readonly Violation[] {
  const winners = new Map<string, string>();
  const answers = new Map<string, Decision>();
  return requestsOf(witness, "decide").flatMap((request): readonly Violation[] => {
    if (!isAcknowledged(request)) return [];
    // The answer to a decision is the decision as it was stored.
    const told = request.answer as unknown as Decision;
    const { run_id, decision_id } = told;
    const question = `${told.call_id}#${told.suspension}`;
    const before = answers.get(decision_id);
    const winner = winners.get(question);
    answers.set(decision_id, told);
    winners.set(question, decision_id);
    const isSame = before === undefined || isSameJson(before, told);
    const problems = [
      ...(isSame ? [] : [`Decision ${decision_id} was answered twice, and differently.`]),
      ...(winner === undefined || winner === decision_id
        ? []
        : [`Decisions ${winner} and ${decision_id} were both accepted.`]),
    ];
    return problems.map((message) => ({ invariant: "I7", run_id, message }));
  });
}

function checkUses({ thread, changesets }: ThreadHistory): readonly Violation[] {
  const used = changesets.flatMap(({ consumed_decisions }) => consumed_decisions);
  const keys = used.map(({ call_id, suspension }) => `${call_id}#${suspension}`);
  return keys
    .filter((key, index) => keys.indexOf(key) !== index)
    .map((key) => ({
      invariant: "I7",
      thread_id: thread.thread_id,
      message: `The decision on ${key} was used twice.`,
    }));
}

/** A decision counts for the call it was made about, with the words it was made in. */
function checkTargets({ witness, threads }: History): readonly Violation[] {
  const made = new Map(requestsOf(witness, "decide").map(({ ask }) => [ask.decision_id, ask]));
  const decisions = threads.flatMap(({ runs }) => runs.flatMap((run) => run.decisions));
  return decisions.flatMap((decision): readonly Violation[] => {
    const { decision_id, call_id, run_id } = decision;
    const ask = made.get(decision_id);
    if (ask === undefined) return [];
    const problems = [
      ...(ask.target === call_id ? [] : [`Decision ${decision_id} is stored for call ${call_id}.`]),
      ...(isMeant(ask.verb, decision)
        ? []
        : [`Decision ${decision_id} is stored with other words than it was made in.`]),
    ];
    return problems.map((message) => ({ invariant: "I7", run_id, message }));
  });
}

/** Whether a stored decision says what its sender did. */
function isMeant(verb: DecisionVerb, { action, arguments: edited, result }: Decision): boolean {
  const isYes = verb.action !== "deny";
  return (
    action === (isYes ? "resume" : "cancel") &&
    isSameJson(edited, verb.action === "edit" ? verb.arguments : undefined) &&
    isSameJson(result, verb.action === "supply" ? verb.result : undefined)
  );
}

function checkOutcome({ call, questions, effects, done }: CallStory): readonly string[] {
  const problems: string[] = [];
  const known = new Set(questions.map(({ used }) => used?.decision_id));
  for (const { decision_id } of effects) {
    if (decision_id === undefined || known.has(decision_id)) continue;
    problems.push(`Call ${call.call_id} took effect for decision ${decision_id}, which was not used on it.`);
  }
  const last = questions.findLast(({ used }) => used !== undefined);
  if (last?.used !== undefined && done !== undefined) problems.push(...checkLast(call, last, last.used, done));
  return problems;
}

/** What the last decision said is how the call ended, unless something ended it before. */
function checkLast(
  { call_id, status, tool_id }: CallStory["call"],
  { suspension, action }: AskedQuestion,
  used: Decision,
  { data }: NonNullable<CallStory["done"]>,
): readonly string[] {
  const isForTool = action.startsWith("tool:");
  if (used.action === "cancel" && status === "succeeded") return [`Call ${call_id} was denied and succeeded.`];
  if (
    used.action === "resume" &&
    used.result !== undefined &&
    !isForTool &&
    !isSameJson(data.result.data, used.result)
  ) {
    return [`Call ${call_id} was given a result for question ${suspension} and has another.`];
  }
  if (status !== "succeeded" || used.result !== undefined) return [];
  const given = used.arguments;
  const n = typeof given === "object" && given !== null && "n" in given ? given.n : undefined;
  if (typeof n !== "number" || isSameJson(data.result.data, answerOf(tool_id, n))) return [];
  return [`Call ${call_id} was edited to ${n} and did something else.`];
}
