export type { Hook, HooksOptions, PreToolHook } from "@reprise/plugins/hooks";
export { hooks } from "@reprise/plugins/hooks";
