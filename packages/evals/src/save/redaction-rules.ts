/** Texts to take out of a case. */
export interface RedactionRule {
  readonly name: string;
  /** Global. What it matches is replaced by `[redacted:<name>:<number>]`, the same text always by the same number. */
  readonly pattern: RegExp;
}

/** The password of `user:password@host`, also without the slashes of an address before it. */
export const LOGIN: RegExp = /(?<=[\w.+-]:)[^\s/@:\]"'\\,]{4,200}(?=@[\w-])/g;

/** Addresses, numbers of cards and accounts, and telephone numbers, in the forms that are hardly ever anything else. */
export const DEFAULT_RULES: readonly RedactionRule[] = [
  { name: "email", pattern: /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g },
  { name: "iban", pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/g },
  { name: "card", pattern: /\b(?:\d{4}[ -]){3}\d{1,7}\b|\b\d{15,16}\b/g },
  { name: "phone", pattern: /\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{2,4}(?:[ -]?\d{2,4}){1,4}/g },
  { name: "credential", pattern: LOGIN },
];

/** Names of fields whose whole value is taken out, wherever it stands. */
export const SECRET_FIELDS: RegExp =
  /^(?:password|passwd|secret|token|api[-_]?key|access[-_]?token|refresh[-_]?token|authorization|ssn|credential)s?$/i;
