export type { ExpressionFailure } from "./expression/expression-sandbox.ts";
export type { ExpressionSandboxOptions, QuickJsSandbox } from "./expression/quickjs-sandbox.ts";
export { createExpressionSandbox } from "./expression/quickjs-sandbox.ts";
