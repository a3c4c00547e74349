import type { ModelProvider } from "@reprise/contracts";
import type { Definitions } from "@reprise/runtime";

/** A provider as the configuration has it, with its secrets looked up. */
export interface ProviderSettings {
  /** Absent: the provider's id says how it is spoken to. */
  readonly adapterKind?: string;
  readonly endpoint?: string;
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What a configuration is completed with: what exists in code, and the ways out of here. An entry of the configuration goes
 * before one in code with the same id.
 */
export interface ConfigPorts extends Definitions {
  /** Makes a provider. Cheap: it connects when it is first used. A `RepriseError` says what is wrong with the settings. */
  createProvider(id: string, settings: ProviderSettings): ModelProvider;
  /**
   * Looks a variable up. What it does not give away, no configuration can name; a `RepriseError` says why it does not. Of what is changed
   * while a server runs, only variables are looked up that a provider of the file names, for the destination it names them for.
   */
  variable(name: string): string | undefined;
}
