import type { ContentPart, Message } from "@reprise/contracts";

/**
 * The messages as another provider may see them: what one provider's model thought means nothing to another, and its sealed form
 * is refused there. Parts that say whose they are stay with that one; those that do not go when the provider has changed.
 * A message that was nothing but thoughts goes too.
 */
export function stripReasoning(
  messages: readonly Message[],
  provider: string,
  { hasChanged }: { readonly hasChanged: boolean },
): readonly Message[] {
  const isForeign = (part: ContentPart): boolean =>
    part.type === "reasoning" && (part.provider === undefined ? hasChanged : part.provider !== provider);
  if (!messages.some(({ content }) => typeof content !== "string" && content.some(isForeign))) return messages;
  return messages.flatMap((message) => {
    if (typeof message.content === "string") return [message];
    const content = message.content.filter((part) => !isForeign(part));
    const isEmpty = content.length === 0 && message.content.length > 0 && message.tool_calls === undefined;
    return isEmpty ? [] : [{ ...message, content }];
  });
}
