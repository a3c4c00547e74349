export type { DeferredToolsOptions } from "./deferred-tools.ts";
export { deferredTools } from "./deferred-tools.ts";
export type { SearchTools } from "./search-catalogue.ts";
