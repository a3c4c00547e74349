export { createProject } from "./create-project.ts";
export { runCommandLine } from "./run-command-line.ts";
export type { Template } from "./templates.ts";
export { TEMPLATES } from "./templates.ts";
