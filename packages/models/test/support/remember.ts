import type { Message } from "@reprise/contracts";
import { type Answer, chunksOf, textOf } from "./ask.ts";

/** An answer as a thread keeps it: our own ids, what was thought as text, what only the provider can read beside it. */
export function remember(answer: Answer, id: string = "s1"): Message {
  const reasoning = chunksOf(answer, "reasoning_delta").map(({ delta }) => delta);
  const encrypted = chunksOf(answer, "reasoning_encrypted").at(-1)?.value;
  const calls = chunksOf(answer, "tool_call_ready");
  const thought = {
    type: "reasoning",
    text: reasoning.join(""),
    ...(encrypted !== undefined && { encrypted }),
  } as const;
  const hasThought = thought.text !== "" || encrypted !== undefined;
  return {
    id: `${id}-m`,
    role: "assistant",
    content: hasThought ? [thought, { type: "text", text: textOf(answer) }] : textOf(answer),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, index) => ({
        id: `${id}-c${index}`,
        name: call.name,
        arguments: JSON.parse(call.arguments),
        provider_call_id: call.id,
      })),
    }),
  };
}

/** The result of the nth call of an answer. */
export function resultOf(
  index: number,
  content: Message["content"],
  id: string = "s1",
  status: string = "success",
): Message {
  return { id: `${id}-c${index}-r`, role: "tool", tool_call_id: `${id}-c${index}`, content, metadata: { status } };
}
