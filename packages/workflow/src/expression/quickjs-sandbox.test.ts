import type { JsonObject } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { createExpressionSandbox } from "./quickjs-sandbox.ts";

/** A clock that moves on with every question: an expression that never ends is late after fifty of them, on any machine. */
function createSteppingClock(): { mono(): number } {
  let now = 0;
  return { mono: () => (now += 1) };
}

const sandbox = createExpressionSandbox({ clock: createSteppingClock(), timeoutMs: 50 });
const globals: JsonObject = {
  inputs: { list: [3, 1, 2], text: "abc" },
  ctx: { k: null },
  run: { outputs: { first: { a: 1 }, "second-one": [true] } },
  item: "x",
};
const evaluate = (expression: string, values: JsonObject = globals) => sandbox.evaluate(expression, values);

async function messageOf(expression: string): Promise<string> {
  const evaluated = await evaluate(expression);
  if (!("failure" in evaluated)) throw new Error(`${expression} has a value: ${JSON.stringify(evaluated.value)}`);
  expect(evaluated.failure.code).toBe("sandbox_error");
  return evaluated.failure.message;
}

describe("expressions", () => {
  it.each([
    ["1 + 1", 2],
    ["inputs.list.toSorted().map((each) => each * 2)", [2, 4, 6]],
    ['run.outputs.first.a + run.outputs["second-one"].length', 2],
    ["Object.keys(run.outputs)", ["first", "second-one"]],
    ["item // a comment", "x"],
    ["({ ...run.outputs.first, b: [ctx.k], gone: undefined })", { a: 1, b: [null] }],
    ["new Set([1, 1, 2]).size + new Map([[1, 2]]).get(1)", 4],
    ['inputs.text.replace(/b/g, "-").split("-")', ["a", "c"]],
    ["[...inputs.list.entries()].length", 3],
    ["`$" + "{inputs.text}!`", "abc!"],
    ["JSON.parse('{\"__proto__\": 1}')", JSON.parse('{"__proto__": 1}')],
    ["typeof Date + typeof Math.random + typeof Promise + typeof BigInt + typeof eval", "undefined".repeat(5)],
    ["typeof process + typeof require + typeof fetch + typeof setTimeout + typeof console", "undefined".repeat(5)],
  ])("%s", async (expression, value) => {
    expect(await evaluate(expression)).toEqual({ value });
  });

  it("leave nothing behind for the next one", async () => {
    expect(
      await evaluate("(globalThis.kept = 1, Object.prototype.kept = 2, inputs.list.push(9), inputs.list.length)"),
    ).toEqual({ value: 4 });
    expect(await evaluate("[typeof kept, ({}).kept === undefined, inputs.list.length]")).toEqual({
      value: ["undefined", true, 3],
    });
    expect(globals.inputs).toEqual({ list: [3, 1, 2], text: "abc" });
  });

  it("give equal results for equal values", async () => {
    const expression = "[Math.sin(1e10), Object.keys({ b: 1, a: 2, 1: 3 }), (0.1).toFixed(20), [5, 1, 4].toSorted()]";
    expect(await evaluate(expression)).toEqual(
      await createExpressionSandbox({ clock: createSteppingClock() }).evaluate(expression, {}),
    );
  });
});

describe("results that are not JSON", () => {
  it.each([
    ["undefined", "undefined"],
    ["[1, undefined]", "undefined"],
    ["new Array(3)", "undefined"],
    ["NaN", "NaN"],
    ["[1 / 0]", "Infinity"],
    ["() => 1", "a function"],
    ["({ a: () => 1 })", "a function"],
    ["Symbol('x')", "a symbol"],
    ["new Map()", "an object of a class"],
    ["/x/", "an object of a class"],
    ["new (class A {})()", "an object of a class"],
    ["(async () => 1)()", "an object of a class"],
    ["import('node:fs')", "an object of a class"],
    ["(() => { const a = {}; a.a = a; return a; })()", "it nests deeper than 60 levels"],
    [
      "inputs.list.reduce((deep) => [deep], 'x'.repeat(70).split('').reduce((deep) => ({ deep }), 1))",
      "it nests deeper than 60 levels",
    ],
  ])("%s", async (expression, what) => {
    expect(await messageOf(expression)).toBe(`The expression failed: TypeError: the result is not JSON: ${what}.`);
  });
});

describe("attacks", () => {
  it.each([
    "(() => { while (true) {} })()",
    "(() => { try { for (;;) {} } catch { return 1; } finally { for (;;) {} } })()",
    '/(a+)+$/.test("a".repeat(40) + "b")',
    "({ get a() { for (;;) {} } })",
    "[...(function* () { for (;;) yield; })()].length",
  ])("an expression that never ends is interrupted, and may be tried again: %s", async (expression) => {
    const evaluated = await evaluate(expression);
    if (!("failure" in evaluated)) throw new Error("It has a value.");
    expect(evaluated.failure.retryable).toBe(/^The expression took longer/.test(evaluated.failure.message));
    expect(evaluated.failure.message).toMatch(/took longer than 50 ms|more than 16 MB|stack overflow/);
  });

  it("tells an expression that is late from one that fails", async () => {
    expect(await evaluate("(() => { while (true) {} })()")).toEqual({
      failure: { code: "sandbox_error", message: "The expression took longer than 50 ms.", retryable: true },
    });
  });

  it.each(['"x".repeat(2 ** 26)', "(() => { const all = []; for (;;) all.push({}); })()"])(
    "too much memory is a failure for good: %s",
    async (expression) => {
      const evaluated = await createExpressionSandbox({ clock: { mono: () => 0 } }).evaluate(expression, {});
      expect(evaluated).toEqual({
        failure: {
          code: "sandbox_error",
          message: "The expression needs more than 16 MB of memory.",
          retryable: false,
        },
      });
    },
  );

  it.each([
    ['(() => { let text = "x"; for (;;) text += text; })()', "too long"],
    ["(function f() { return f(); })()", "stack overflow"],
    ['JSON.parse("[".repeat(100_000))', "stack overflow"],
    ["inputs.list.indexOf.call({ length: 2 ** 53 - 1 }, 1)", "this method is for arrays"],
    [
      "(() => { const list = []; list.length = 2 ** 32 - 1; return list.includes(1); })()",
      "longer than 1,000,000 items",
    ],
    [
      "(() => { const list = []; list.length = 2 ** 32 - 1; return [list].flat().length; })()",
      "longer than 1,000,000 items",
    ],
    [
      "(() => { const list = []; list.length = 2 ** 32 - 1; return new Set(list).size; })()",
      "longer than 1,000,000 items",
    ],
    ['"a".repeat(1e6).includes("a".repeat(5e5) + "b")', "too long to search"],
    ['(() => {}).constructor("return 1")()', "not a function"],
    ['(async () => {}).constructor("return 1")()', "not a function"],
    ['(function* () {}).constructor("return 1")()', "not a function"],
    ['"".sub.constructor("return 1")()', "not a function"],
    ['({}).constructor.constructor("return this")()', "not a function"],
    ["2n ** 65536n", "no BigInt"],
    ["(() => { throw { get message() { throw 1; } }; })()", "no error"],
    ["(() => { throw null; })()", "The expression"],
    ["return 1", "SyntaxError"],
    ["let a = 1", "SyntaxError"],
    ["arguments", "'arguments' is not defined"],
  ])("%s", async (expression, message) => {
    expect(await messageOf(expression)).toContain(message);
  });

  it("a method that was put into a prototype does not change what comes out", async () => {
    const expression =
      "(() => { Object.prototype.toJSON = Array.prototype.toJSON = () => 'changed'; JSON.stringify = () => '1'; return [{ a: 1 }]; })()";
    expect(await evaluate(expression)).toEqual({ value: [{ a: 1 }] });
  });

  it("values that are too large fail the expression, and the next one works", async () => {
    const big = { inputs: { text: "x".repeat(20_000_000) } };
    expect(await evaluate("inputs.text.length", big)).toMatchObject({ failure: { retryable: false } });
    expect(await evaluate("1")).toEqual({ value: 1 });
  });

  it("outputs that an expression does not name are not copied", async () => {
    const values = { run: { outputs: { small: 1, large: "x".repeat(20_000_000) } } };
    expect(await evaluate("run.outputs.small + 1", values)).toEqual({ value: 2 });
    expect(await evaluate("Object.keys(run.outputs)", values)).toHaveProperty("failure");
  });
});

it("finds mistakes of an expression without its values", async () => {
  expect(await sandbox.findSyntaxProblem("inputs.list.map((each) => each)")).toBeUndefined();
  expect(await sandbox.findSyntaxProblem("inputs.list.map(")).toContain("SyntaxError");
  expect(await sandbox.findSyntaxProblem("return 1")).toContain("SyntaxError");
});

it("lets other work run before every expression, however many are due at once", async () => {
  const happened: string[] = [];
  let isOver = false;
  const tick = (): void => {
    happened.push("tick");
    if (!isOver) setImmediate(tick);
  };
  const own = createExpressionSandbox({
    clock: createSteppingClock(),
    yield: () => new Promise((resolve) => setImmediate(resolve)),
  });
  await own.evaluate("0", {});
  tick();
  const all = Array.from({ length: 20 }, async (_, index) => {
    await own.evaluate(`${index}`, {});
    happened.push("expression");
  });
  await Promise.all(all);
  isOver = true;
  const text = happened.join(" ");
  expect(happened.filter((each) => each === "expression")).toHaveLength(20);
  expect(text).not.toContain("expression expression");
});
