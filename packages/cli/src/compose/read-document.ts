import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { toStoredNames } from "@reprise/contracts/shape";
import { agentSpecSchema } from "@reprise/runtime";
import { type Json, type JsonObject, parseJson } from "@reprise/state";
import { defaultConfig, demoConfig } from "../demo/demo-config.ts";
import { EXIT_CODES } from "../output/exit-code.ts";
import { CommandFailure } from "../output/failure.ts";
import type { Settings } from "../settings/settings.ts";
import { chooseModel } from "./choose-model.ts";

/** A configuration before it was checked, and where it is from. */
export interface ConfigDocument {
  readonly value: Json;
  /** The file, when it is from one. */
  readonly file?: string;
}

/** The configuration that is meant: a file, the demonstration's, or one agent. */
export function readDocument(settings: Settings): ConfigDocument {
  const path = settings.value("config");
  if (path === undefined) {
    // The agents are the module's.
    if (settings.value("agents") !== undefined) return { value: { agents: [] } };
    const model = chooseModel(settings);
    const built = settings.isOn("demo") ? demoConfig(model, settings.value("mcpServer")) : defaultConfig(model);
    return { value: throughTensorzero(built, settings.value("tensorzeroUrl")) };
  }
  const file = resolve(path);
  return { value: throughTensorzero(parseFile(file), settings.value("tensorzeroUrl")), file };
}

function parseFile(file: string): Json {
  try {
    return parseJson(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new CommandFailure(isMissing ? `There is no file ${file}.` : `Cannot read ${file}: ${reason}`, {
      exitCode: EXIT_CODES.misused,
      code: "CONFIG_INVALID",
      remedy: "Name a JSON file with --config or REPRISE_CONFIG; see what goes into it with: reprise config schema",
      cause: error,
    });
  }
}

const GATEWAY = "tz";
const GATEWAY_MODEL = `${GATEWAY}/agent_chat`;

/** Sends every local agent's model calls through a TensorZero gateway, to its function `agent_chat`. */
function throughTensorzero(document: Json, url: string | undefined): Json {
  if (url === undefined || !isObject(document) || !Array.isArray(document.agents)) return document;
  const agents = document.agents.map((agent: Json): Json => {
    // Renaming keys leaves JSON JSON.
    const named = toStoredNames(agent, agentSpecSchema()) as Json;
    if (!isObject(named) || named.kind === "a2a") return agent;
    const { model_id: _, fallback_models: __, fallback_chain: ___, ...rest } = named;
    return { ...rest, model: GATEWAY_MODEL };
  });
  const endpoint = `${url.replace(/(?<!\/)\/+$/, "")}/openai/v1`;
  const auth = { kind: "token", value: "tensorzero" };
  return {
    ...document,
    agents,
    models: {
      ...(isObject(document.models) && document.models),
      [GATEWAY_MODEL]: { provider: GATEWAY, model: "tensorzero::function_name::agent_chat" },
    },
    providers: {
      ...(isObject(document.providers) && document.providers),
      [GATEWAY]: { adapter_kind: "openai-compatible", endpoint, auth },
    },
  };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
