export type { PluginSettings } from "@reprise/plugins";
export { createInstalledPlugins, definePluginSettings } from "@reprise/plugins";
