const REDACTED = "[redacted]";

/** How the tokens of well-known services begin. */
const TOKEN = /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|npm|hf|shpat|AKIA|ASIA|AIza)[-_.]?[\w.-]{8,}/g;
const HEADER = /\b(Bearer|Basic)\s+([\w+/=.~-]{8,})/gi;
// With the escapes of JSON inside JSON.
const NAMED =
  /\b((?:api[-_]?key|access[-_]?token|token|secret|password|passwd)\\*["']?\s*[:=]\s*\\*["']?)((?:[^\s"',;&\\]|\\+(?!["'\\])){4,})/gi;
const USER_INFO = /(\/\/)[^\s/@:]{0,200}:([^\s/@]{1,200})@/g;

/**
 * Takes what is certainly a credential out of a text that others wrote. Only what says so itself, by how it begins or by the name
 * before it: an error is there to be understood, and most long words in it are ids. Known secrets are for `createRedactor`.
 */
export function redactCredentials(text: string): string {
  return replaceCredentials(text, () => REDACTED);
}

/** The same, with what `standIn` says in place of each credential. */
export function replaceCredentials(text: string, standIn: (credential: string) => string): string {
  return replaceTokens(text, standIn)
    .replaceAll(HEADER, (all, scheme: string, word: string) => (isNoWord(word) ? `${scheme} ${standIn(word)}` : all))
    .replaceAll(NAMED, (_all, name: string, value: string) => `${name}${standIn(value)}`)
    .replaceAll(USER_INFO, (_all, slashes: string, password: string) => `${slashes}${standIn(password)}@`)
    .replaceAll(TOKEN, (word) => (isNoWord(word) ? standIn(word) : word));
}

/** `Basic authentication` and `pk_customers` are words. */
function isNoWord(text: string): boolean {
  return /\d/.test(text) || text.length >= 20;
}

const TOKEN_START = "eyJ";
const SHORTEST_PART = 6;

/**
 * Takes out JSON web tokens: `eyJ…` and two more parts, with dots between. Scanned by hand: as a pattern, it would read every
 * `eyJ` of a long run to its end.
 */
function replaceTokens(text: string, standIn: (credential: string) => string): string {
  let shown = "";
  let from = 0;
  for (let at = text.indexOf(TOKEN_START); at !== -1; ) {
    let next = at + TOKEN_START.length;
    if (!isWordCharacter(text.charCodeAt(at - 1))) {
      next = endOfRun(text, at);
      const end = endOfToken(text, next);
      if (end !== undefined && next - at >= TOKEN_START.length + SHORTEST_PART) {
        shown += text.slice(from, at) + standIn(text.slice(at, end));
        from = end;
        next = end;
      }
    }
    at = text.indexOf(TOKEN_START, next);
  }
  return shown + text.slice(from);
}

/** Where a token ends whose first part ends here; undefined when the others do not follow. */
function endOfToken(text: string, firstEnd: number): number | undefined {
  if (text[firstEnd] !== ".") return undefined;
  const second = endOfRun(text, firstEnd + 1);
  const isLong = second - firstEnd > SHORTEST_PART;
  return isLong && text[second] === "." ? endOfRun(text, second + 1) : undefined;
}

function endOfRun(text: string, from: number): number {
  let at = from;
  while (isWordCharacter(text.charCodeAt(at)) || text[at] === "-") at += 1;
  return at;
}

/** Letters and digits of ASCII, and `_`. Nothing before the first character and after the last one is. */
function isWordCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
}
