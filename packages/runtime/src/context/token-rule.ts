const PIECES = / ?[A-Za-z][A-Za-z0-9]*|\d[A-Za-z0-9]*| +|[\0-\x7f]|[^\0-\x7f]+/g;
const WORD = /[A-Za-z0-9]$/;
const MIXED = /[A-Za-z]\d|\d[A-Za-z]/;
const HUMPS = /[A-Z]+|[a-z]+|\d+/g;
/** Longer runs of small letters are keys and noise: no ordinary word. */
const LONGEST_WORD = 10;
const SPACES_PER_TOKEN = 16;
/** Where pieces meet, a tokenizer may split once more. */
const SEAMS = 2;

const encoder = new TextEncoder();

/**
 * How many tokens a text is, when there is no tokenizer to ask. On the safe side: twice what English comes to and more, and not less
 * than a tokenizer finds in ordinary words, code, JSON, identifiers and keys, nor in any text that is not ASCII.
 *
 * - Small letters of a word: two to a token, beyond the tenth one each. Capitals one each.
 * - Digits: three to a token. In a word that has both, each letter is a token.
 * - A space before a word is part of it; other spaces are a token and one more for each sixteen. Every other character of ASCII is one.
 * - Everything else: its bytes in UTF-8. No tokenizer that works on bytes makes more of it.
 */
export function estimateByRule(text: string): number {
  let tokens = SEAMS;
  for (const [piece] of text.matchAll(PIECES)) {
    if (piece.charCodeAt(0) >= 128) tokens += encoder.encode(piece).length;
    else if (WORD.test(piece)) tokens += sizeOfWord(piece);
    else tokens += 1 + Math.floor(piece.length / SPACES_PER_TOKEN);
  }
  return tokens;
}

function sizeOfWord(word: string): number {
  const isMixed = MIXED.test(word);
  let tokens = 0;
  for (const [hump] of word.matchAll(HUMPS)) {
    const code = hump.charCodeAt(0);
    if (code <= NINE) tokens += Math.ceil(hump.length / 3);
    else tokens += isMixed || code <= CAPITAL_Z ? hump.length : sizeOfSmall(hump.length);
  }
  return tokens;
}

const NINE = 57;
const CAPITAL_Z = 90;

function sizeOfSmall(letters: number): number {
  return Math.ceil(Math.min(letters, LONGEST_WORD) / 2) + Math.max(letters - LONGEST_WORD, 0);
}
