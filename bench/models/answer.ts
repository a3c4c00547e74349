import { CHAT_COMPLETIONS } from "../../packages/testkit/src/model-server/chat-completions.ts";

export const TOKENS = 500;

/** The text of the answer, token by token. */
export const WORDS: readonly string[] = Array.from({ length: TOKENS }, (_, index) => ` token${index}`);

/** The same answer as it goes over the wire: one event a token, as providers send them. */
export function framesOf(): readonly string[] {
  const steps = [{ text: WORDS }, { usage: { promptTokens: 20, completionTokens: TOKENS } }];
  return [...CHAT_COMPLETIONS.encode(steps, "bench")].map((frame) => {
    if (typeof frame !== "string") throw new Error("The answer has a fault in it.");
    return frame;
  });
}
