const REDACTED = "[redacted]";

/** How the tokens of well-known services begin. */
const TOKEN = /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|npm|hf|shpat|AKIA|ASIA|AIza)[-_.]?[\w.-]{8,}/g;
const JWT = /\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*/g;
const HEADER = /\b(Bearer|Basic)\s+([\w+/=.~-]{8,})/gi;
const NAMED = /\b((?:api[-_]?key|access[-_]?token|token|secret|password|passwd)["']?\s*[:=]\s*["']?)[^\s"',;&]{4,}/gi;
const USER_INFO = /(\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/g;

/**
 * Takes what is certainly a credential out of a text that others wrote. Only what says so itself, by how it begins or by the name
 * before it: an error is there to be understood, and most long words in it are ids. Known secrets are for `createRedactor`.
 */
export function redactCredentials(text: string): string {
  return text
    .replaceAll(JWT, REDACTED)
    .replaceAll(HEADER, (all, scheme: string, word: string) => (isNoWord(word) ? `${scheme} ${REDACTED}` : all))
    .replaceAll(NAMED, `$1${REDACTED}`)
    .replaceAll(USER_INFO, `$1${REDACTED}@`)
    .replaceAll(TOKEN, (word) => (isNoWord(word) ? REDACTED : word));
}

/** `Basic authentication` and `pk_customers` are words. */
function isNoWord(text: string): boolean {
  return /\d/.test(text) || text.length >= 20;
}
