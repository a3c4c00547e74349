export type { LoadedCase } from "./files/case-files.ts";
export { CASE_SUFFIX, loadBaseline, loadCases, writeJsonFile } from "./files/case-files.ts";
