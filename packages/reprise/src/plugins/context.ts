export type { ContextOptions } from "@reprise/plugins/context";
export { context, contextPlugins } from "@reprise/plugins/context";
