/** Words with the space before them, numbers, runs of spaces, other characters of ASCII, and everything else. */
const PIECES = / ?[A-Za-z]+|\d+|\n+|[^\S\n]+|[!-/:-@[-`{-~]+|[^\0-\x7f]+/g;

/** Ordinary words up to this length are mostly one token; longer ones are cut. */
const WHOLE_WORD = 8;
const LETTERS_PER_TOKEN = 4;
const DIGITS_PER_TOKEN = 3;
const SPACES_PER_TOKEN = 16;
const MARKS_PER_TOKEN = 2;
/** Of a character beyond ASCII: of another alphabet, of Chinese or Japanese, and of pictures. */
const PER_LETTER = 1 / 3;
const PER_SIGN = 0.85;
const PER_PICTURE = 2.2;

/**
 * About how many tokens a text is, without a tokenizer: a little more than there are for prose and code, in time linear in the text.
 * Keys and noise are counted as what they look like, and may be more.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) tokens += sizeOf(piece);
  return Math.ceil(tokens);
}

function sizeOf(piece: string): number {
  const code = piece.charCodeAt(0);
  if (code > 127) return sizeOfOther(piece);
  if (code >= 48 && code <= 57) return Math.ceil(piece.length / DIGITS_PER_TOKEN);
  const last = piece.charCodeAt(piece.length - 1) | 32;
  if (last >= 97 && last <= 122 && (code === 32 || (code | 32) >= 97)) return sizeOfWord(piece.trimStart());
  if (piece.trim() === "") return Math.ceil(piece.length / SPACES_PER_TOKEN);
  return Math.ceil(piece.length / MARKS_PER_TOKEN);
}

function sizeOfOther(piece: string): number {
  let tokens = 0;
  for (const character of piece) {
    const code = character.codePointAt(0) ?? 0;
    tokens += code < 0x800 ? PER_LETTER : code < 0x10000 ? PER_SIGN : PER_PICTURE;
  }
  return tokens;
}

/** A capital inside a word begins another one: `createTokenCounter` is three. */
function sizeOfWord(word: string): number {
  const humps = word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]/g) ?? [];
  return humps.reduce(
    (sum, { length }) => sum + (length <= WHOLE_WORD ? 1 : Math.ceil(length / LETTERS_PER_TOKEN) - 1),
    0,
  );
}
