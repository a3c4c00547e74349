export type { DeferredToolsOptions, SearchTools } from "@reprise/plugins/deferred-tools";
export { deferredTools } from "@reprise/plugins/deferred-tools";
