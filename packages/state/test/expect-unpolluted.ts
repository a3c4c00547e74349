import { afterEach, beforeEach, expect } from "vitest";

const BUILT_IN: readonly object[] = [Object.prototype, Array.prototype, Function.prototype, String.prototype, Object];

/** Fails every test of the file that leaves a built-in object other than it was. */
export function expectUnpolluted(): void {
  let before: readonly string[] = [];
  beforeEach(() => {
    before = BUILT_IN.map(describeObject);
  });
  afterEach(() => {
    expect(BUILT_IN.map(describeObject)).toEqual(before);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(Reflect.get([], "polluted")).toBeUndefined();
  });
}

function describeObject(object: object): string {
  return Reflect.ownKeys(object)
    .map((key) => `${String(key)}:${typeof Reflect.getOwnPropertyDescriptor(object, key)?.value}`)
    .join();
}
