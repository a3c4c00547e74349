import type { Path } from "../document/path.ts";
import { invalidOperation } from "../document/state-error.ts";

/** Refuses a number that arithmetic cannot keep exact: not finite, or an integer beyond the safe ones. */
export function assertAmount(amount: number, path: Path): void {
  if (!isExact(amount))
    throw invalidOperation(`${String(amount)} is not a finite number within the safe integers`, path);
}

/** Adds two numbers, or throws when either, or the sum, leaves the safe range. */
export function addExactly(current: number, amount: number, path: Path): number {
  assertAmount(amount, path);
  const sum = current + amount;
  if (!isExact(current) || !isExact(sum)) {
    throw invalidOperation("the sum leaves the safe integers", path);
  }
  return sum;
}

function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}
