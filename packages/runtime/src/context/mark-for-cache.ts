import type { CacheBreakpoint, Message, ModelRequest } from "@reprise/contracts";

/**
 * Says up to where a request begins like the next one: after tools and system text; where the request before this one ended, which is
 * surely kept; and at the last message that will still be there next time. Tools are sorted, because any order is as good and only
 * the same one can be found again. A request that says `prompt_cache: false` is left as it is.
 *
 * @param lasts whether a message is part of the thread, not only of this request.
 */
export function markForCache(request: ModelRequest, lasts: (message: Message) => boolean): ModelRequest {
  if (request.options.prompt_cache === false) return request;
  const { messages, tools } = request;
  const lasting = messages.findLastIndex(lasts);
  const answered = messages.findLastIndex(({ role }, index) => role === "assistant" && index <= lasting);
  const marks = [answered - 1, lasting].flatMap((index): readonly CacheBreakpoint[] => {
    const message = messages[index];
    return message === undefined ? [] : [{ after: "message", message_id: message.id }];
  });
  const isTwice = answered - 1 === lasting;
  return {
    ...request,
    tools: sortById(tools),
    cache_breakpoints: [{ after: "system" }, ...(isTwice ? marks.slice(1) : marks)],
  };
}

function sortById(tools: ModelRequest["tools"]): ModelRequest["tools"] {
  const isSorted = tools.every(({ id }, index) => index === 0 || (tools[index - 1]?.id ?? "") <= id);
  return isSorted ? tools : tools.toSorted((left, right) => (left.id < right.id ? -1 : 1));
}
