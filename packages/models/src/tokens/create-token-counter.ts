import type { CountTokens, TokenCounter } from "@reprise/contracts";
import { isInstalled } from "../providers/package-loader.ts";
import { estimateTokens } from "./estimate-tokens.ts";

/**
 * Counts tokens: with the package `gpt-tokenizer` where it is installed, as OpenAI's newer models do, and else by an estimate that is a
 * little more. Others count differently, and both are near enough to fit a request into a window with some room left. The tables are
 * large: they are loaded at the first count.
 */
export function createTokenCounter(): TokenCounter {
  return {
    async load() {
      if (!isInstalled("gpt-tokenizer")) return Object.assign(estimateTokens.bind(undefined), { isEstimate: true });
      const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
      return (text) => countInPieces(text, (piece) => countTokens(piece, AS_TEXT));
    },
  };
}

/** A text that looks like one of the tokenizer's own marks is a text. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

/** The time the tokenizer takes grows with the square of what has no breaks in it: a hundred thousand letters are five seconds. */
const LONGEST_PIECE = 1024;

/** Counts a text piece by piece. A cut may make a token of one more than there is, never one less than there are in the pieces. */
function countInPieces(text: string, count: CountTokens): number {
  let tokens = 0;
  for (let from = 0; from < text.length; ) {
    const end = endOfPiece(text, from);
    tokens += count(text.slice(from, end));
    from = end;
  }
  return tokens;
}

/** Characters of two halves are not cut in two. */
function endOfPiece(text: string, from: number): number {
  const end = Math.min(from + LONGEST_PIECE, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
