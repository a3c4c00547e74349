export type { FactsOptions } from "./facts.ts";
export { facts } from "./facts.ts";
