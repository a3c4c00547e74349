import { kindAt } from "../../workload/generation.ts";
import { isRepeatable, isToolName, toolKind } from "../../workload/tool-kinds.ts";
import { type CallStory, letsRun, tellCalls } from "../call-story.ts";
import type { History, Violation } from "../history.ts";

/** I6: effects happen as often as their tool allows, under one key, and never once their result is settled. */
export function findWrongEffects(history: History): readonly Violation[] {
  const calls = tellCalls(history).flatMap((story) => {
    const { run_id, thread_id } = story.call;
    return [...checkCount(story), ...checkTimes(story)].map((message): Violation => {
      return { invariant: "I6", thread_id, run_id, message };
    });
  });
  return [...calls, ...findStaleEffects(history)];
}

function checkCount({ call, kind, questions, effects, done }: CallStory): readonly string[] {
  const { call_id, tool_id, status } = call;
  const problems: string[] = [];
  const foreign = effects.filter(({ key }) => key !== call_id);
  for (const { key } of foreign) problems.push(`Call ${call_id} took effect under the key ${key}.`);
  const runs = questions.filter((question) => question.used !== undefined && letsRun(question.used, question));
  const again = runs.filter(({ action }) => action === "unknown_outcome").length;
  const repeats = effects.filter((effect, place) => place > 0 && !mayFollow(effects[place - 1], effect)).length;
  if (repeats > again) {
    const allowed = effects.length - repeats + again;
    problems.push(
      `Call ${call_id} of ${tool_id} took effect ${effects.length} times; at most ${allowed} were allowed.`,
    );
  }
  const isAsked = kind.needsApproval === true || kind.asks === true;
  if (isAsked && effects.length > 0 && runs.length === 0) {
    problems.push(`Call ${call_id} of ${tool_id} took effect and nobody approved it.`);
  }
  const isSupplied = questions.some(({ used, action }) => used?.result !== undefined && !action.startsWith("tool:"));
  if (status === "succeeded" && !isSupplied && effects.length === 0) {
    problems.push(`Call ${call_id} of ${tool_id} succeeded without an effect.`);
  }
  const wrong = effects.filter(
    ({ n }) => n !== numberOf(done === undefined ? undefined : call.arguments) && done !== undefined,
  );
  for (const { n } of wrong) problems.push(`Call ${call_id} took effect with ${n}, not with what it was asked for.`);
  return problems;
}

/** Whether an effect may be repeated by the next one: the version of the tool that made it has to be the same, and to allow it. */
function mayFollow(
  before: CallStory["effects"][number] | undefined,
  { tool, version }: CallStory["effects"][number],
): boolean {
  return before?.version === version && isToolName(tool) && isRepeatable(kindAt(tool, version));
}

function numberOf(given: CallStory["call"]["arguments"] | undefined): number | undefined {
  const n = typeof given === "object" && given !== null && "n" in given ? given.n : undefined;
  return typeof n === "number" ? n : undefined;
}

/** An execution that begins after somebody saw the result it is for is one too many. */
function checkTimes({ call, effects, seenDoneAt = Number.POSITIVE_INFINITY }: CallStory): readonly string[] {
  return effects
    .filter(({ started_at }) => started_at > seenDoneAt)
    .map(({ started_at }) => `Call ${call.call_id} began again ${started_at - seenDoneAt} ms after its result.`);
}

/** An owner that was replaced begins nothing more. */
function findStaleEffects({ effects, claims }: History): readonly Violation[] {
  const owners = Map.groupBy(claims, ({ thread_id }) => thread_id);
  return effects
    .filter(({ tool }) => toolKind(tool)?.class === "mutating")
    .filter(({ thread_id, epoch, started_at }) =>
      owners.get(thread_id)?.some((claim) => claim.epoch > epoch && claim.at < started_at),
    )
    .map(({ call_id, epoch, thread_id, run_id }): Violation => {
      const message = `Call ${call_id} was begun by epoch ${epoch} when a later one was already at work.`;
      return { invariant: "I6", thread_id, run_id, message };
    });
}
