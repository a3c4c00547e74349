import type { Message } from "@reprise/contracts";

/**
 * Adds a message where a model expects it: at the end, or, for a result, behind the call it answers, in the order of the
 * calls. Results come in any order, some of them after a decision a day later; the model always reads one order.
 */
export function placeMessage(messages: Message[], message: Message): void {
  const position = message.tool_call_id === undefined ? undefined : positionOfResult(messages, message.tool_call_id);
  if (position === undefined || position === messages.length) messages.push(message);
  else messages.splice(position, 0, message);
}

/** Behind the results of earlier calls of the same message; undefined when no message made the call. */
function positionOfResult(messages: readonly Message[], callId: string): number | undefined {
  for (let asked = messages.length - 1; asked >= 0; asked--) {
    const calls = messages[asked]?.tool_calls;
    if (calls === undefined) continue;
    // Mostly results come in order: as many as stand behind the calls are there, and this is the next.
    const next = messages.length - 1 - asked;
    if (calls[next]?.id === callId && (next === 0 || messages.at(-1)?.tool_call_id === calls[next - 1]?.id)) {
      return messages.length;
    }
    const order = calls.findIndex(({ id }) => id === callId);
    if (order >= 0)
      return asked + 1 + countEarlier(messages, asked, new Set(calls.slice(0, order).map(({ id }) => id)));
  }
  return undefined;
}

function countEarlier(messages: readonly Message[], asked: number, earlier: ReadonlySet<string>): number {
  let count = 0;
  while (earlier.has(messages[asked + 1 + count]?.tool_call_id ?? "")) count++;
  return count;
}
