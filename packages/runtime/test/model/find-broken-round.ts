import type { Message } from "@reprise/contracts";

/**
 * What is wrong with the order of calls and results, if anything: results follow their calls at once. A model reads them in
 * the order of the calls; the thread keeps them as they came.
 */
export function findBrokenRound(messages: readonly Message[], reader: "model" | "thread"): string | undefined {
  let waiting: readonly string[] = [];
  const answered = new Set<string>();
  for (const { id, role, tool_calls, tool_call_id } of messages) {
    if (role !== "tool" && waiting.length > 0) return `${id} before the results of ${waiting}`;
    if (tool_call_id !== undefined) {
      if (answered.has(tool_call_id)) return `a second result of ${tool_call_id}`;
      const place = waiting.indexOf(tool_call_id);
      if (place < 0 || (reader === "model" && place > 0)) return `the result of ${tool_call_id} out of place`;
      answered.add(tool_call_id);
      waiting = waiting.toSpliced(place, 1);
    }
    if (tool_calls !== undefined) waiting = tool_calls.map((call) => call.id);
  }
  return waiting.length > 0 ? `no result of ${waiting}` : undefined;
}
