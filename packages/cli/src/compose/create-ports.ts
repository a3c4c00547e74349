import { a2aBackend } from "@reprise/backends";
import { type ExecutionBackend, type Plugin, RepriseError } from "@reprise/contracts";
import { withEnvironment } from "@reprise/models";
import { createInstalledPlugins } from "@reprise/plugins";
import { contextPlugins } from "@reprise/plugins/context";
import type { ConfigPorts } from "@reprise/server/config";
import type { Json } from "@reprise/state";
import { demoPlugins } from "../demo/demo-plugins.ts";
import { demoTools } from "../demo/demo-tools.ts";
import type { ModuleOptions } from "../module/read-exports.ts";
import type { Settings } from "../settings/settings.ts";
import { chooseModel } from "./choose-model.ts";
import { createProvider } from "./create-provider.ts";
import { readPace } from "./pace.ts";

/** Completes a configuration with the module's definitions, the environment's providers and model, and the demonstration's tools. */
export function createPorts(settings: Settings, document: Json, module: ModuleOptions = {}): ConfigPorts {
  const pace = readPace(settings);
  const { variables } = settings;
  const model = chooseModel(settings);
  const environment = withEnvironment(module, model === undefined ? variables : { ...variables, REPRISE_MODEL: model });
  const inFile = namedIn(document);
  return {
    createProvider: (id, provider) =>
      createProvider(id, provider, { variables, isFromFile: settings.isFromFile, wordMs: pace.wordMs }),
    variable: (name) => {
      assertNamedIn(inFile, name);
      return settings.named(name);
    },
    contextPlugins,
    ...module,
    ...environment,
    plugins: withInstalled([...(module.plugins ?? []), ...(settings.isOn("demo") ? demoPlugins() : [])]),
    backends: withA2a(module.backends ?? []),
    tools: [...(module.tools ?? []), ...(settings.isOn("demo") ? demoTools(pace) : [])],
  };
}

/** The module's plugins, and those of the package that the module does not replace. */
function withInstalled(own: readonly Plugin[]): readonly Plugin[] {
  return [...own, ...createInstalledPlugins().filter(({ id }) => !own.some((plugin) => plugin.id === id))];
}

/** The module's backends, and the one for A2A that the module does not replace. */
function withA2a(own: readonly ExecutionBackend[]): readonly ExecutionBackend[] {
  const installed = a2aBackend();
  return own.some(({ id }) => id === installed.id) ? own : [...own, installed];
}

/** The author of the file may name any variable: it is their environment. Other sources may name none. */
function assertNamedIn(names: ReadonlySet<string>, name: string): void {
  if (names.has(name)) return;
  throw new RepriseError("CONFIG_INVALID", "only variables that the file names can be named here", {
    details: { name },
  });
}

/** Every `{ "kind": "env", "name": … }` of a document, which may be anything. */
function namedIn(value: Json): ReadonlySet<string> {
  if (typeof value !== "object" || value === null) return new Set();
  const names = Object.values(value).flatMap((entry: Json) => [...namedIn(entry)]);
  if ("kind" in value && value.kind === "env" && "name" in value && typeof value.name === "string")
    names.push(value.name);
  return new Set(names);
}
