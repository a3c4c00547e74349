// The whole module: an old Node lacks the function, and could not even be told so if it were imported by name.
import nodeModule from "node:module";
import { ModelError } from "@reprise/contracts";
import type { AiSdkModel } from "../ai-sdk/ai-sdk-model.ts";

/** How a provider's package is found and asked for a model. */
export interface PackageEntry {
  /** Its name in the registry. */
  readonly name: string;
  /** The functions that make a provider, the newest name first. */
  readonly factories: readonly string[];
}

/** The settings for a provider's factory. Each factory reads the settings that it knows. */
export interface ProviderSettings {
  readonly fetch: typeof fetch;
  readonly [setting: string]: unknown;
}

/** Loads a provider's package and makes a model of it. */
export async function loadModel(entry: PackageEntry, settings: ProviderSettings, model: string): Promise<AiSdkModel> {
  const name = entry.name;
  // A specifier that is computed leaves bundlers alone: the package is optional.
  const loaded: Readonly<Record<string, unknown>> = await import(/* @vite-ignore */ name);
  const factory = entry.factories.map((each) => loaded[each]).find((each) => typeof each === "function");
  const provider: unknown = factory?.(settings);
  if (typeof provider === "function") {
    const made: unknown = provider(model);
    if (isModel(made)) return made;
  }
  throw new ModelError("invalid_request", `The installed version of ${name} makes no models that are known here.`);
}

export function isInstalled(name: string): boolean {
  try {
    return nodeModule.findPackageJSON(name, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

function isModel(value: unknown): value is AiSdkModel {
  return typeof value === "object" && value !== null && "doStream" in value && "specificationVersion" in value;
}
