export type { Hook, PreToolHook } from "./hook.ts";
export type { HooksOptions } from "./hooks.ts";
export { hooks } from "./hooks.ts";
