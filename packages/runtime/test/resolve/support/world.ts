import type { ErrorCode, LanguageModel, Plugin, Tool } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createFakeEnv } from "@reprise/testkit";
import { expect } from "vitest";
import { definePlugin, type PluginDefinition } from "../../../src/define/define-plugin.ts";
import { defineTool, type ToolDefinition } from "../../../src/define/define-tool.ts";
import { createRegistryBuilder, type RegistryBuilder } from "../../../src/resolve/registry-builder.ts";
import type { OwnParts } from "../../../src/resolve/registry-set.ts";
import { resolveAgent } from "../../../src/resolve/resolve-agent.ts";
import type { ResolvedAgent } from "../../../src/resolve/resolved-agent.ts";

export const env = createFakeEnv();

export const model: LanguageModel = scriptedModel([], "m");

export function tool(id: string, more: Partial<ToolDefinition<never, unknown>> = {}): Tool {
  return defineTool({ id, description: id, ...more, execute: () => id });
}

export function plugin(id: string, more: Omit<PluginDefinition, "id"> = {}): Plugin {
  return definePlugin({ id, ...more });
}

/** A builder that knows the model `m`. */
export function builder(...tools: readonly (Tool | string)[]): RegistryBuilder {
  const building = createRegistryBuilder().withModel(model);
  for (const each of tools) building.withTool(typeof each === "string" ? tool(each) : each);
  return building;
}

/** Resolves one agent `a` that is registered with whatever the builder has. */
export function resolve(
  building: RegistryBuilder,
  spec: { readonly [field: string]: unknown } = {},
  own: OwnParts = {},
): ResolvedAgent {
  const registries = building.withAgent({ id: "a", model: "m", ...spec }, own).buildUnchecked();
  return resolveAgent(registries, "a", { env });
}

export function toolIds({ tools }: ResolvedAgent): readonly string[] {
  return [...tools.keys()];
}

/** The error an action throws; its code and some of its details are checked here. */
export function failureOf(
  action: () => unknown,
  code: ErrorCode,
  details: Readonly<Record<string, unknown>> = {},
): { readonly message: string; readonly details: Readonly<Record<string, unknown>> } {
  let thrown: unknown;
  try {
    action();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ name: "RepriseError", code, details });
  return thrown as { readonly message: string; readonly details: Readonly<Record<string, unknown>> };
}
