import type { ModelProvider } from "@reprise/contracts";
import type { ConfigPorts } from "../config-ports.ts";

/**
 * Ports that make a provider once for as long as its settings stay the same: what it knows, its connections and its new keys
 * included, outlives changes of everything else.
 */
export function rememberProviders(ports: ConfigPorts): ConfigPorts & { forgetOthers(): void } {
  let made = new Map<string, ModelProvider>();
  let used = new Map<string, ModelProvider>();
  return {
    ...ports,
    env: (name) => ports.env(name),
    createProvider: (id, settings) => {
      const key = JSON.stringify([id, settings]);
      const provider = made.get(key) ?? ports.createProvider(id, settings);
      made.set(key, provider);
      used.set(key, provider);
      return provider;
    },
    /** Keeps those that were asked for since the last time. */
    forgetOthers: () => {
      made = used;
      used = new Map();
    },
  };
}
