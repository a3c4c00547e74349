import { type Message, textOf } from "@reprise/contracts";
import { scriptNamed } from "./run-script.ts";

/** Where a conversation stands in the script it plays. */
export interface ScriptPlace {
  readonly script: string;
  /** How many turns were taken already. */
  readonly step: number;
  /** What was said of this turn before its stream was cut: the model is to continue behind it. */
  readonly said: string;
}

/**
 * Finds the place from what the model is given, so that any process can continue: the last script asked for, and the turns
 * since. Undefined when no script was asked for.
 */
export function placeInScript(messages: readonly Message[]): ScriptPlace | undefined {
  const from = messages.findLastIndex((message) => scriptOf(message) !== undefined);
  const asked = messages[from];
  const script = asked === undefined ? undefined : scriptOf(asked);
  if (script === undefined) return undefined;
  const partial = messages.findLast(({ id }) => id === PARTIAL);
  const turns = messages.slice(from).filter(({ role, id }) => role === "assistant" && id !== PARTIAL);
  return { script, step: turns.length, said: partial === undefined ? "" : textOf(partial) };
}

/** How the runtime calls what it shows a model of its own cut turn. */
const PARTIAL = "partial";

function scriptOf(message: Message): string | undefined {
  return message.role === "user" ? scriptNamed(textOf(message)) : undefined;
}
