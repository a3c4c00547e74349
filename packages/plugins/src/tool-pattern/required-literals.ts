/** A repetition with numbers: `{2}`, `{2,}`, `{2,5}`. */
const COUNT = /\{\d+(?:,\d*)?\}/y;

/** A class, with the named ones in it: `[^]a-z[:digit:]]`. */
const CLASS = /\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]/sy;

/** Escapes that stand for one character or for a position. Others may reach further than one letter. */
const SHORT_ESCAPES = new Set("dDsSwWbBAznrtfva");

/** Groups that change nothing about the letters in them, unlike `(?i)`. */
const GROUP = /\((?:\?(?::|P?<\w+>))?(?!\?)/y;

/**
 * Texts that every match of a regular expression contains, found without matching: plain letters that are neither optional nor one of several
 * alternatives. None where that is not obvious: a text too few costs time, and one too many would pass a rule by.
 */
export function requiredLiterals(source: string): readonly string[] {
  const literals: string[] = [];
  let run = "";
  let depth = 0;
  const end = (): void => {
    if (run !== "" && depth === 0) literals.push(run);
    run = "";
  };
  for (let index = 0; index < source.length; index += 1) {
    const sign = source[index] ?? "";
    if (sign === "(") {
      end();
      depth += 1;
      const start = matchAt(GROUP, source, index);
      if (start === 0) return [];
      index += start - 1;
    } else if (sign === ")") {
      run = "";
      depth -= 1;
    } else if (sign === "|") {
      if (depth === 0) return [];
    } else if (sign === "[") {
      end();
      const length = matchAt(CLASS, source, index);
      if (length === 0) return [];
      index += length - 1;
    } else if (sign === "?" || sign === "*" || sign === "{") {
      // The letter before may be missing. A lazy sign after another sign finds no letter.
      run = run.slice(0, -1);
      end();
      if (sign === "{") index += Math.max(matchAt(COUNT, source, index) - 1, 0);
    } else if (sign === "\\") {
      const next = source[index + 1] ?? "";
      index += 1;
      if (SHORT_ESCAPES.has(next)) end();
      else if (/[!-/:-@[-`{-~]/.test(next)) run += next;
      else return [];
    } else if (sign === "+" || sign === "." || sign === "^" || sign === "$" || sign > "~") end();
    else run += sign;
  }
  end();
  return literals;
}

/** How long the match at a position is. */
function matchAt(pattern: RegExp, source: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.exec(source)?.[0].length ?? 0;
}
