import type { Message } from "@reprise/contracts";

/**
 * Adds a message where a model expects it: at the end, or, for a result, behind the call it answers, in the order of the
 * calls. Results come in any order, some of them after a decision a day later; the model always reads one order.
 */
export function placeMessage(messages: Message[], message: Message): void {
  const place = message.tool_call_id === undefined ? undefined : placeOfResult(messages, message.tool_call_id);
  if (place === undefined || place === messages.length) messages.push(message);
  else messages.splice(place, 0, message);
}

/** Behind the results of earlier calls of the same message; undefined when nobody made the call. */
function placeOfResult(messages: readonly Message[], callId: string): number | undefined {
  for (let asked = messages.length - 1; asked >= 0; asked--) {
    const calls = messages[asked]?.tool_calls;
    const order = calls?.findIndex(({ id }) => id === callId) ?? -1;
    if (calls === undefined || order < 0) continue;
    const last = messages.at(-1)?.tool_call_id;
    // Mostly results come in order: behind the one before there is nothing to look for.
    if (order > 0 && last === calls[order - 1]?.id) return messages.length;
    const earlier = new Set(calls.slice(0, order).map(({ id }) => id));
    let place = asked + 1;
    while (earlier.has(messages[place]?.tool_call_id ?? "")) place++;
    return place;
  }
  return undefined;
}
