/**
 * What every expression finds when it begins: the language without what would make results differ or what cannot be interrupted.
 *
 * The engine asks whether the time is over between instructions, never inside of a built-in function. So loops over lists that are long only
 * by their `length`, and searches that compare every character with every other, are refused here.
 *
 * Its value is `[load, finish]`: the one defines the values, the other makes JSON text of the result and throws for everything that is none.
 */
export const PRELUDE = `(() => {
"use strict";
const { defineProperty, getPrototypeOf, keys } = Object;
const { isArray } = Array;
const { isFinite } = Number;
const { apply } = Reflect;
const { parse, stringify } = JSON;
const [objects, lists, texts] = [Object.prototype, Array.prototype, String.prototype];
const MAX_ITEMS = 1_000_000;
const MAX_COMPARISONS = 100_000_000;
const put = (owner, name, value) => defineProperty(owner, name, { value, writable: true, configurable: true });
const assertList = (list) => {
  if (!isArray(list)) throw new TypeError("this method is for arrays");
  if (list.length > MAX_ITEMS) throw new RangeError("the array is longer than 1,000,000 items");
};
for (const name of [...Object.getOwnPropertyNames(lists), Symbol.iterator]) {
  const native = lists[name];
  if (typeof native !== "function" || name === "constructor" || name === "toString" || name === "push" || name === "pop" || name === "at") continue;
  put(lists, name, function (...given) {
    assertList(this);
    if (name === "concat" || name === "flat") for (const each of name === "flat" ? this : given) if (isArray(each)) assertList(each);
    return apply(native, this, given);
  });
}
for (const name of ["indexOf", "lastIndexOf", "includes", "split", "replace", "replaceAll"]) {
  const native = texts[name];
  put(texts, name, function (wanted, ...more) {
    if (typeof wanted === "string" && String(this).length * wanted.length > MAX_COMPARISONS) throw new RangeError("the texts are too long to search");
    return apply(native, this, [wanted, ...more]);
  });
}
for (const Collection of [Map, Set]) {
  put(globalThis, Collection.name, class extends Collection {
    constructor(items) {
      if (isArray(items)) assertList(items);
      super(items);
    }
  });
}
delete Math.random;
for (const name of ["eval", "Function", "BigInt", "Promise", "Iterator", "WeakMap", "WeakSet", "WeakRef", "FinalizationRegistry", "Reflect", "queueMicrotask"]) delete globalThis[name];
for (const each of [() => {}, function* () {}, async () => {}, async function* () {}]) {
  put(getPrototypeOf(each), "constructor", undefined);
}
const generators = getPrototypeOf(getPrototypeOf([].values()));
for (const name of Object.getOwnPropertyNames(generators)) delete generators[name];
const load = (text) => {
  const values = parse(text);
  for (const name of keys(values)) put(globalThis, name, values[name]);
};
const refuse = (what) => {
  throw new TypeError("the result is not JSON: " + what);
};
const check = (value, depth) => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return;
  if (typeof value === "number") return isFinite(value) ? undefined : refuse("" + value);
  if (typeof value !== "object") return refuse(value === undefined ? "undefined" : "a " + typeof value);
  if (depth > 60) refuse("it nests deeper than 60 levels");
  const isList = isArray(value);
  const prototype = getPrototypeOf(value);
  if (prototype !== null && prototype !== (isList ? lists : objects)) refuse("an object of a class");
  if (isList) {
    for (let index = 0; index < value.length; index += 1) check(value[index], depth + 1);
    return;
  }
  const names = keys(value);
  for (let index = 0; index < names.length; index += 1) if (value[names[index]] !== undefined) check(value[names[index]], depth + 1);
};
const finish = (value) => {
  check(value, 0);
  delete objects.toJSON;
  delete lists.toJSON;
  return stringify(value);
};
return [load, finish];
})()`;
