import type { ScriptStep } from "@reprise/models";

type Usage = Extract<ScriptStep, { readonly usage: unknown }>["usage"];

/** What an answer ends with, gathered from the whole script of it. */
export interface Ending {
  readonly stop: "end_turn" | "max_tokens" | "tool_use" | "stop_sequence";
  readonly usage: Usage;
}

/** How the steps end, and what they say about tokens. */
export function readEnding(steps: readonly ScriptStep[]): Ending {
  const said = steps.find((step) => "stop" in step)?.stop;
  const hasCalls = steps.some((step) => "call" in step);
  return {
    stop: said ?? (hasCalls ? "tool_use" : "end_turn"),
    usage: steps.find((step) => "usage" in step)?.usage ?? { promptTokens: 10, completionTokens: 5 },
  };
}

/** The pieces of a text, as the script gives them. */
export function piecesOf(text: string | readonly string[]): readonly string[] {
  return typeof text === "string" ? [text] : text;
}

/** The arguments of a call, and the pieces they are sent in: short enough to cut JSON anywhere. */
export function argumentsOf(step: { readonly arguments?: unknown; readonly raw?: string }): {
  readonly text: string;
  readonly pieces: readonly string[];
} {
  const text = step.raw ?? JSON.stringify(step.arguments ?? {});
  return { text, pieces: text.match(/.{1,8}/gs) ?? [] };
}
