import { expect } from "vitest";
import { type EvalMatchers, evalMatchers } from "./vitest/matchers.ts";

export type { EvalRunOptions, EvaluatedRun } from "./vitest/eval-run.ts";
export { evalRun } from "./vitest/eval-run.ts";
export type { EvalMatchers } from "./vitest/matchers.ts";
export { evalMatchers } from "./vitest/matchers.ts";

declare module "vitest" {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends EvalMatchers<R> {}
}

expect.extend(evalMatchers);
