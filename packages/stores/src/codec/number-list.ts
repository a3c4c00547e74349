const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUES: ReadonlyMap<string, number> = new Map([...DIGITS].map((digit, value) => [digit, value]));

/**
 * Writes whole numbers from 0 up as text that JSON needs not escape, those below 32 in one character: five bits a character,
 * the lowest first, the sixth bit says that more follow.
 */
export function writeNumbers(numbers: readonly number[]): string {
  let text = "";
  for (const number of numbers) {
    // Not by bits: JavaScript's have 32, a time has more.
    let rest = number;
    while (rest >= 32) {
      text += DIGITS[(rest % 32) + 32];
      rest = Math.floor(rest / 32);
    }
    text += DIGITS[rest];
  }
  return text;
}

export function readNumbers(text: string): readonly number[] {
  const numbers: number[] = [];
  let number = 0;
  let scale = 1;
  for (const digit of text) {
    const value = VALUES.get(digit) ?? 0;
    number += (value % 32) * scale;
    scale *= 32;
    if (value >= 32) continue;
    numbers.push(number);
    number = 0;
    scale = 1;
  }
  return numbers;
}

/** A number with a sign as one without: the sign becomes its lowest bit. */
export function foldSign(number: number): number {
  return number < 0 ? -number * 2 - 1 : number * 2;
}

export function unfoldSign(number: number): number {
  return number % 2 === 1 ? -(number + 1) / 2 : number / 2;
}
