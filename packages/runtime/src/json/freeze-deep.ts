/**
 * Makes a JSON value unwritable, all the way down: what is part of a thread is lent out, and a borrower that writes to it must
 * be stopped. What is frozen is taken to be frozen whole, so that shared parts are walked once.
 */
export function freezeDeep<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  if (Array.isArray(value)) for (const item of value) freezeDeep(item);
  // JSON has no inherited keys, and this makes no list of the values. Most are no objects, and not worth a call.
  else for (const key in value) if (typeof value[key] === "object") freezeDeep(value[key]);
  return value;
}
