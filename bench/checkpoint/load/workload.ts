import { z } from "zod";

/** What everybody does: a question of 1 kB, one call of a tool that changes something, an answer of 1 kB in fifty pieces. */
export const INSTRUCTIONS = "You book what you are asked for and say what you did.";
export const TOOL_NAME = "book";
export const TOOL_DESCRIPTION = "Books a room.";
export const TOOL_ARGUMENTS = '{"room":"blue"}';
export const toolSchema = z.object({ room: z.string() });

const TEXT_BYTES = 1_000;
const PIECES = 50;

const WORDS =
  "the of room to a day in book that is was he for it with as his on be at by had not are but from or have an they which one".split(
    " ",
  );

/** Text of 1 kB that is not the same twice, of words as a person might use them; pure, by a number. */
export function textOf(number: number): string {
  let state = (number * 2_654_435_761 + 1) >>> 0;
  let text = `${number}:`;
  while (text.length < TEXT_BYTES) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += ` ${WORDS[(state >>> 8) % WORDS.length]}${state >>> 28}`;
  }
  return text.slice(0, TEXT_BYTES);
}

/** A text as a model would say it. */
export function piecesOf(text: string): readonly string[] {
  const length = Math.ceil(text.length / PIECES);
  return Array.from({ length: PIECES }, (_, index) => text.slice(index * length, (index + 1) * length));
}

export const QUESTION: string = textOf(1);
export const ANSWER: string = textOf(2);

/** How often the tool was really called, by all contestants together. */
export const toolCalls = { count: 0 };

export function book({ room }: { readonly room: string }): { readonly room: string; readonly booked: boolean } {
  toolCalls.count += 1;
  return { room, booked: true };
}
