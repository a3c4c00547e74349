export { createInstalledPlugins } from "./installed-plugins.ts";
export type { PluginSettings } from "./settings/plugin-settings.ts";
export { definePluginSettings } from "./settings/plugin-settings.ts";
