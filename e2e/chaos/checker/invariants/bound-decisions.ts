import { bindingOf } from "../../workload/tool-binding.ts";
import { isToolName } from "../../workload/tool-kinds.ts";
import { type CallStory, letsRun, tellCalls } from "../call-story.ts";
import type { History, Violation } from "../history.ts";

/** Part of I7: a yes counts for the version of the tool it was about, and nobody is asked twice about the same. */
export function findMisusedDecisions(history: History): readonly Violation[] {
  return tellCalls(history).flatMap((story) => {
    const { run_id, thread_id } = story.call;
    return [...checkVersions(story), ...checkQuestions(story)].map((message): Violation => {
      return { invariant: "I7", thread_id, run_id, message };
    });
  });
}

/** An effect of a tool that needs approval was approved for this very version, or somebody said "again" about an unknown outcome. */
function checkVersions({ call, kind, questions, effects }: CallStory): readonly string[] {
  if (kind.needsApproval !== true) return [];
  const allowed = questions.filter((question) => question.used !== undefined && letsRun(question.used, question));
  return effects.flatMap(({ tool, version }): readonly string[] => {
    if (!isToolName(tool)) return [];
    const isAllowed = allowed.some(
      ({ action, binding_hash, arguments: asked }) =>
        action === "unknown_outcome" || binding_hash === bindingOf({ ...call, arguments: asked }, tool, version),
    );
    return isAllowed ? [] : [`Call ${call.call_id} took effect as ${tool}@${version}, which nobody approved.`];
  });
}

function checkQuestions({ call, questions }: CallStory): readonly string[] {
  const asked = questions.filter(({ action }) => action === "approval").map(({ binding_hash }) => binding_hash);
  const again = asked.filter((hash, place) => asked.indexOf(hash) !== place);
  return again.map(() => `Call ${call.call_id} was asked about again, and nothing about it had changed.`);
}
