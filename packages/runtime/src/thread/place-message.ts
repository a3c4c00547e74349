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
  const asked = messages.findLastIndex(({ tool_calls }) => tool_calls?.some(({ id }) => id === callId) === true);
  if (asked < 0) return undefined;
  const calls = messages[asked]?.tool_calls ?? [];
  const earlier = new Set(
    calls
      .slice(
        0,
        calls.findIndex(({ id }) => id === callId),
      )
      .map(({ id }) => id),
  );
  let place = asked + 1;
  while (earlier.has(messages[place]?.tool_call_id ?? "")) place++;
  return place;
}
