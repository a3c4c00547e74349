const NOTHING: ReadonlySet<string> = new Set();

/**
 * Whether two values are the same JSON. A key without a value is no key. Walked in step, because most of what is compared is
 * the same: nothing is copied, and nothing is made into text.
 */
export function sameJson(left: unknown, right: unknown, ignored: ReadonlySet<string> = NOTHING): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) return sameLists(left, right);
  let count = 0;
  for (const key in left) {
    const value = (left as Record<string, unknown>)[key];
    if (value === undefined || ignored.has(key)) continue;
    count += 1;
    if (!Object.hasOwn(right, key) || !sameJson(value, (right as Record<string, unknown>)[key])) return false;
  }
  for (const key in right) {
    if ((right as Record<string, unknown>)[key] !== undefined && !ignored.has(key)) count -= 1;
  }
  return count === 0;
}

function sameLists(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) if (!sameJson(left[index], right[index])) return false;
  return true;
}
