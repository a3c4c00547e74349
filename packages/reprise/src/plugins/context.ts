export type { ContextPluginOptions } from "@reprise/plugins/context";
export { context, contextPlugins } from "@reprise/plugins/context";
