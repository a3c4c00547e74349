import { compileReplacer } from "../tool-pattern/text-matcher.ts";

/** Finds something in a text: the text without it, or undefined when there is nothing. Linear in the text. */
export type Detector = (text: string, by: string) => string | undefined;

/** The built-in detectors, which need no pattern. */
export type DetectorName = "email" | "credit_card" | "secret";

export const DETECTORS: Readonly<Record<DetectorName, Detector>> = {
  email: compileReplacer(String.raw`[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`),
  credit_card: replaceCards,
  /** Keys of well-known services, private keys and bearer tokens. */
  secret: compileReplacer(
    [
      String.raw`\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}`,
      String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,
      String.raw`\bgithub_pat_[A-Za-z0-9_]{20,}`,
      String.raw`\bxox[abposr]-[A-Za-z0-9-]{10,}`,
      String.raw`\bA[KS]IA[A-Z0-9]{16}\b`,
      String.raw`\bAIza[A-Za-z0-9_-]{30,}`,
      String.raw`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
      "-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]+-----END [A-Z ]*PRIVATE KEY-----)?",
    ].join("|"),
  ),
};

/** Digits in groups, and of the right length. Whether the number is one of a card, its check digit says. */
const DIGITS = /(?<![0-9])[0-9](?:[ -]?[0-9]){12,18}(?![0-9])/g;

function replaceCards(text: string, by: string): string | undefined {
  const clean = text.replaceAll(DIGITS, (digits) => (hasCheckDigit(digits.replaceAll(/[ -]/g, "")) ? by : digits));
  return clean === text ? undefined : clean;
}

/** The Luhn algorithm. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}
