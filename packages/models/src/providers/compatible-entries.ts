import type { ModelProvider } from "@reprise/contracts";
import { describeModel } from "../catalogue/describe-model.ts";
import { type OpenaiCompatibleProvider, openaiCompatible } from "../chat/openai-compatible.ts";
import { notReady, readVariable, type Variables } from "./variables.ts";

/** A server that speaks chat completions and is found by a variable. */
interface CompatibleEntry {
  readonly id: string;
  /** The variable with its address, and what has to be added to that. */
  readonly address: string;
  readonly suffix?: string;
  /** The address when the variable is not set. */
  readonly usual?: string;
  readonly key?: string;
  readonly rename?: (model: string) => string;
}

export const COMPATIBLE: readonly CompatibleEntry[] = [
  { id: "ollama", address: "OLLAMA_BASE_URL", usual: "http://127.0.0.1:11434/v1" },
  { id: "vllm", address: "VLLM_BASE_URL", key: "VLLM_API_KEY" },
  {
    id: "tensorzero",
    address: "TENSORZERO_URL",
    suffix: "/openai/v1",
    key: "TENSORZERO_API_KEY",
    rename: nameFunction,
  },
];

/** The servers that speak chat completions, with what the environment says about them. */
export function compatibleProviders(variables: Variables): readonly ModelProvider[] {
  return COMPATIBLE.map((entry) => createCompatible(variables, entry));
}

/** A server by its variables. They are looked at when a model is asked for: most people have only some of the servers. */
export function createCompatible(variables: Variables, entry: CompatibleEntry): OpenaiCompatibleProvider {
  const { id, address, usual, suffix = "", rename } = entry;
  const open = (name: string): OpenaiCompatibleProvider => {
    const given = readVariable(variables, address);
    const baseUrl = given === undefined ? usual : given.replace(/(?<!\/)\/+$/, "") + suffix;
    if (baseUrl === undefined) {
      throw notReady(`${id}/${name}`, `needs an address. Set ${address} in the environment`, { variable: address });
    }
    const apiKey = entry.key === undefined ? undefined : readVariable(variables, entry.key);
    return openaiCompatible({
      id,
      baseUrl,
      ...(apiKey !== undefined && { apiKey }),
      ...(rename !== undefined && { rename }),
    });
  };
  return {
    id,
    model: (name) => open(name).model(name),
    media: (name) => open(name).media(name),
    describe: (name) => describeModel(id, name),
  };
}

/** TensorZero's functions and models have names of three parts; an agent may name a function by its last. */
function nameFunction(name: string): string {
  if (name.startsWith("tensorzero::")) return name;
  return /^(function_name|model_name)::/.test(name) ? `tensorzero::${name}` : `tensorzero::function_name::${name}`;
}
