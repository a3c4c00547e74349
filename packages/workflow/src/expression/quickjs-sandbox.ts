import variant from "@jitl/quickjs-singlefile-mjs-release-sync";
import type { Clock, Env } from "@reprise/contracts";
import { type Json, type JsonObject, parseJson } from "@reprise/state";
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import { expressionReferences } from "./expression-references.ts";
import type { Evaluated, ExpressionSandbox } from "./expression-sandbox.ts";
import { PRELUDE } from "./sandbox-prelude.ts";

export interface ExpressionSandboxOptions {
  /** Measures how long an expression takes. */
  readonly clock: Pick<Clock, "mono">;
  /** Lets other work of the process run. Awaited before every expression: each may take as long as it is allowed to, and hundreds may be due at once. */
  readonly yield?: Env["yield"];
  /** 1,000 unless given. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 1_000;
const MAX_HEAP_BYTES = 16 * 1024 * 1024;
/** Small enough that the engine notices before the stack of the process is full. */
const MAX_STACK_BYTES = 64 * 1024;
const MAX_EXPRESSION = 100_000;

/** What an expression may use. Neither clocks nor anything that waits. `Promise` is there because async functions crash the engine without it. */
const INTRINSICS = {
  BaseObjects: true,
  Eval: true,
  JSON: true,
  MapSet: true,
  Promise: true,
  RegExp: true,
  RegExpCompiler: true,
  StringNormalize: true,
} as const;

/** Arithmetic of any length has functions that nothing interrupts. */
const BIG_INTEGER =
  /(?<![\w$.])(?:\d[\d_]{0,400}|0[xX][\da-fA-F_]{1,400}|0[oO][0-7_]{1,400}|0[bB][01_]{1,400})n(?![\w$])/;

/** A sandbox that also tells whether an expression is well formed. */
export interface QuickJsSandbox extends ExpressionSandbox {
  evaluate(expression: string, globals: JsonObject): Promise<Evaluated>;
  /** Why an expression cannot be evaluated, whatever its values; undefined when it can. */
  findSyntaxProblem(expression: string): Promise<string | undefined>;
}

/**
 * Makes a sandbox of QuickJS, compiled to WebAssembly: 1 s and 16 MB for each expression. The engine is loaded once; every expression gets a
 * fresh one of its contexts.
 */
export function createExpressionSandbox(options: ExpressionSandboxOptions): QuickJsSandbox {
  const { clock, timeoutMs = TIMEOUT_MS } = options;
  let turn: Promise<void> = Promise.resolve();
  /** One after the other: expressions that wait for the same turn of the loop would run in it together. */
  const takeTurn = (): Promise<void> => {
    turn = turn.then(options.yield);
    return turn;
  };
  let loading: Promise<QuickJSWASMModule> | undefined;
  const load = (): Promise<QuickJSWASMModule> => {
    loading ??= newQuickJSWASMModuleFromVariant(variant);
    return loading;
  };
  /** An engine that failed by itself may be broken: the next expression gets another one. */
  const run = async <Result>(work: (engine: QuickJSWASMModule) => Result): Promise<Result | undefined> => {
    const own = load();
    const engine = await own;
    await takeTurn();
    try {
      return work(engine);
    } catch {
      if (loading === own) loading = undefined;
      return undefined;
    }
  };
  return {
    async evaluate(expression, globals) {
      const problem = findTextProblem(expression);
      if (problem !== undefined) return failure(problem);
      const done = await run((engine) => evaluateIn(engine, { expression, globals, clock, timeoutMs }));
      return done ?? failure("The expression broke the sandbox.");
    },
    async findSyntaxProblem(expression) {
      const problem = findTextProblem(expression);
      if (problem !== undefined) return problem;
      const done = await run((engine) => compileIn(engine, expression));
      return done === undefined ? "The expression broke the sandbox." : done.problem;
    },
  };
}

function findTextProblem(expression: string): string | undefined {
  if (expression.length > MAX_EXPRESSION) return `The expression is longer than ${MAX_EXPRESSION} characters.`;
  return BIG_INTEGER.test(expression) ? "Expressions have no BigInt." : undefined;
}

function failure(message: string, retryable = false): Evaluated {
  return { failure: { code: "sandbox_error", message, retryable } };
}

interface Evaluation {
  readonly expression: string;
  readonly globals: JsonObject;
  readonly clock: Pick<Clock, "mono">;
  readonly timeoutMs: number;
}

/** On lines of its own, so that a comment at its end stays one. */
function wrap(expression: string): string {
  return `(\n${expression}\n)`;
}

function evaluateIn(engine: QuickJSWASMModule, { expression, globals, clock, timeoutMs }: Evaluation): Evaluated {
  const { runtime, context } = open(engine);
  let isLate = false;
  const deadline = clock.mono() + timeoutMs;
  runtime.setInterruptHandler(() => {
    isLate ||= clock.mono() > deadline;
    return isLate;
  });
  const handles: QuickJSHandle[] = [];
  const keep = (handle: QuickJSHandle): QuickJSHandle => {
    handles.push(handle);
    return handle;
  };
  const fail = (error: QuickJSHandle): Evaluated => {
    keep(error);
    if (isLate) return failure(`The expression took longer than ${timeoutMs} ms.`, true);
    return failure(sayError(context, error));
  };
  const finishing = (): Evaluated => {
    const prelude = context.evalCode(PRELUDE, "prelude.js");
    if (prelude.error !== undefined) return fail(prelude.error);
    keep(prelude.value);
    const loader = keep(context.getProp(prelude.value, 0));
    const finisher = keep(context.getProp(prelude.value, 1));
    const text = keep(context.newString(JSON.stringify(narrow(expression, globals))));
    const loaded = context.callFunction(loader, context.undefined, text);
    if (loaded.error !== undefined) return fail(loaded.error);
    keep(loaded.value);
    const result = context.evalCode(wrap(expression), "expression.js", { strict: true });
    if (result.error !== undefined) return fail(result.error);
    const finished = context.callFunction(finisher, context.undefined, keep(result.value));
    if (finished.error !== undefined) return fail(finished.error);
    return { value: parseJson(context.getString(keep(finished.value))) };
  };
  const evaluated = finishing();
  for (const handle of handles) handle.dispose();
  close(context, runtime);
  return evaluated;
}

function compileIn(engine: QuickJSWASMModule, expression: string): { readonly problem: string | undefined } {
  const { runtime, context } = open(engine);
  const compiled = context.evalCode(wrap(expression), "expression.js", { strict: true, compileOnly: true });
  const handle = compiled.error ?? compiled.value;
  const problem = compiled.error === undefined ? undefined : sayError(context, compiled.error);
  handle.dispose();
  close(context, runtime);
  return { problem };
}

function open(engine: QuickJSWASMModule): { readonly runtime: QuickJSRuntime; readonly context: QuickJSContext } {
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(MAX_HEAP_BYTES);
  runtime.setMaxStackSize(MAX_STACK_BYTES);
  return { runtime, context: runtime.newContext({ intrinsics: INTRINSICS }) };
}

function close(context: QuickJSContext, runtime: QuickJSRuntime): void {
  context.dispose();
  runtime.dispose();
}

const LONGEST_MESSAGE = 300;

/** An error of the expression in words. Whatever was thrown, its text is all that is read of it. */
function sayError(context: QuickJSContext, error: QuickJSHandle): string {
  const name = readText(context, error, "name");
  const message = readText(context, error, "message");
  if (message === "out of memory" || context.typeof(error) === "null")
    return "The expression needs more than 16 MB of memory.";
  const said = message === undefined ? "it threw something that is no error" : `${name ?? "Error"}: ${message}`;
  return `The expression failed: ${said.slice(0, LONGEST_MESSAGE)}.`;
}

function readText(context: QuickJSContext, owner: QuickJSHandle, name: string): string | undefined {
  if (context.typeof(owner) !== "object") return undefined;
  const property = context.getProp(owner, name);
  const text = context.typeof(property) === "string" ? context.getString(property) : undefined;
  property.dispose();
  return text;
}

/** Copies only the outputs that an expression names, unless it may read others: outputs can be large. */
function narrow(expression: string, globals: JsonObject): JsonObject {
  const run = globals.run;
  if (!isObject(run) || !isObject(run.outputs) || /globalThis|\bthis\b/.test(expression)) return globals;
  const reads = expressionReferences(expression).filter(({ root }) => root === "run");
  if (reads.some(({ segments: [first, id] }) => first !== "outputs" || id === undefined)) return globals;
  const wanted = new Set(reads.map(({ segments }) => String(segments[1])));
  const outputs = Object.fromEntries(Object.entries(run.outputs).filter(([id]) => wanted.has(id)));
  return { ...globals, run: { ...run, outputs } };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
