export { context, contextPlugins } from "./context.ts";
export type { ContextPluginOptions } from "./context-settings.ts";
