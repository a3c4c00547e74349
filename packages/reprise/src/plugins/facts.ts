export type { FactsOptions } from "@reprise/plugins/facts";
export { facts } from "@reprise/plugins/facts";
