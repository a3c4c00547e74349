import { z } from "zod";

/** What everybody does: one question, one tool call, one answer in fifty pieces. */
export const INSTRUCTIONS = "You look things up and say what you found.";
export const QUESTION = "What is the weather in Paris?";
export const TOOL_NAME = "lookup";
export const TOOL_DESCRIPTION = "Looks up the weather of a city.";
export const TOOL_ARGUMENTS = '{"city":"Paris"}';
export const toolSchema = z.object({ city: z.string() });

export const DELTAS: readonly string[] = Array.from({ length: 50 }, (_, index) => `word${index} `);
export const ANSWER: string = DELTAS.join("");

/** How often the tool was really called, by all contestants together. */
export const toolCalls = { count: 0 };

export function lookUp({ city }: { readonly city: string }): { readonly city: string; readonly degrees: number } {
  toolCalls.count += 1;
  return { city, degrees: 21 };
}
