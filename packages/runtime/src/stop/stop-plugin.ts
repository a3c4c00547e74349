import type { Plugin } from "@reprise/contracts";
import { definePlugin } from "../define/define-plugin.ts";
import { stopHistory } from "./stop-state.ts";

/** The id under which stop policies keep what they know; no other plugin may have it. */
export const STOP_PLUGIN_ID = "stop_policy";

/** Part of every agent: owns the state of the stop policies. The loop asks them, after each step. */
export const stopPlugin: Plugin = definePlugin({ id: STOP_PLUGIN_ID, states: [stopHistory] });
