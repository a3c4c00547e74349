/** Parts of a pattern that stand for one character: a class, an escape, a dot or the character itself. */
const ATOM = /\\[pP]\{[^}]*\}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|\[(?:[^\]\\]|\\.)*\]|[^\\[\](){}|?*+^$]/g;
/** What looks like an atom and is an assertion, or refers to a group. */
const NO_CHARACTER = /^\\[bB\d]$/;

const ALPHABET = [..."aAbeyJ09 _-.:;,=/@()[]<>?&%#\"'`~!+*{}\\^$|", "\n", "\t", "é", "\u0001"];

/**
 * Texts that a pattern with backtracking reads again and again: long runs of each kind of character it tells apart, and of its words,
 * after its beginning or not, with an end that fits nothing.
 */
export function hostileTextsFor(pattern: RegExp, length: number): readonly string[] {
  const atoms = (pattern.source.match(ATOM) ?? []).filter((atom) => !NO_CHARACTER.test(atom));
  const kinds = atoms.map((atom) => new RegExp(`^${atom}$`, pattern.flags.replace(/[gy]/g, "")));
  const byKind = new Map(ALPHABET.map((one) => [kinds.map((kind) => Number(kind.test(one))).join(""), one]));
  const characters = [...byKind.values()];
  const words = literalsIn(pattern.source);
  const long = [...new Set(words)].filter((word) => word.length > 1);
  const pumps = [...characters, ...long, ...long.flatMap((word) => [`${word}-`, `${word} `, `${word}a`, `${word}=`])];
  // Each prefix of its words: which of them leads to the part that is read again is not known here.
  const beginnings = new Set(["", ...words.slice(0, MOST_WORDS).map((_, index) => words.slice(0, index + 1).join(""))]);
  return [...beginnings].flatMap((beginning) =>
    pumps.map((pump) => `${beginning}${pump.repeat(Math.ceil(length / pump.length))}\u0001\n\u0001`),
  );
}

const MOST_WORDS = 4;
const ESCAPED: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\r": "\r" };

/** What a pattern asks for character by character, in order. */
function literalsIn(source: string): readonly string[] {
  const plain = source
    .replaceAll(/\[(?:[^\]\\]|\\.)*\]|\\[bBdDsSwWpPux]|\(\?(?:[:=!]|<[=!])|\{[\d,]*\}/g, GAP)
    .replaceAll(/\\./g, (escaped) => ESCAPED[escaped] ?? escaped.slice(1).replace(/[()|?*+^$.]/, GAP));
  return plain.split(/[()|?*+^$.]+/).filter((word) => word !== "");
}

const GAP = "|";
