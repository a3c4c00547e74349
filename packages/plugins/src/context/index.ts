export { context, contextPlugins } from "./context.ts";
export type { ContextOptions } from "./context-settings.ts";
