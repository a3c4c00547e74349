import type { Secret } from "@reprise/contracts";
import type { PackagedProviderEntry } from "./packaged-provider.ts";
import { notReady, readKey, readVariable, type Variables } from "./variables.ts";

/** A provider with one key and, when its variable is set, another address. */
interface KeyedEntry {
  readonly id: string;
  readonly name: string;
  readonly factories: readonly string[];
  readonly key: string;
  readonly baseUrl: string;
  /** How its models' names begin: by that they are its own when no provider is named. */
  readonly names: readonly string[];
}

export const KEYED: readonly KeyedEntry[] = [
  {
    id: "openai",
    name: "@ai-sdk/openai",
    factories: ["createOpenAI"],
    key: "OPENAI_API_KEY",
    baseUrl: "OPENAI_BASE_URL",
    names: ["gpt-", "chatgpt-", "o1", "o3", "o4", "dall-e-"],
  },
  {
    id: "anthropic",
    name: "@ai-sdk/anthropic",
    factories: ["createAnthropic"],
    key: "ANTHROPIC_API_KEY",
    baseUrl: "ANTHROPIC_BASE_URL",
    names: ["claude-"],
  },
  {
    id: "google",
    name: "@ai-sdk/google",
    factories: ["createGoogle", "createGoogleGenerativeAI"],
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
    baseUrl: "GOOGLE_GENERATIVE_AI_BASE_URL",
    names: ["gemini-"],
  },
  {
    id: "deepseek",
    name: "@ai-sdk/deepseek",
    factories: ["createDeepSeek"],
    key: "DEEPSEEK_API_KEY",
    baseUrl: "DEEPSEEK_BASE_URL",
    names: ["deepseek-"],
  },
];

/** The providers with a package, with what the environment says about them. */
export function packagedEntries(variables: Variables): readonly PackagedProviderEntry[] {
  const keyed = KEYED.map(
    ({ key, baseUrl, ...entry }): PackagedProviderEntry => ({
      ...entry,
      credentials: (model) => {
        const address = readVariable(variables, baseUrl);
        return {
          settings: { apiKey: readKey(variables, key, model), ...(address !== undefined && { baseURL: address }) },
        };
      },
    }),
  );
  return [...keyed, bedrock(variables)];
}

/** AWS: a region, and either a token or a pair of keys. */
function bedrock(variables: Variables): PackagedProviderEntry {
  return {
    id: "bedrock",
    name: "@ai-sdk/amazon-bedrock",
    factories: ["createAmazonBedrock"],
    credentials: (model) => {
      const region = readVariable(variables, "AWS_REGION") ?? readVariable(variables, "AWS_DEFAULT_REGION");
      if (region === undefined)
        throw notReady(model, "needs a region. Set AWS_REGION in the environment", { variable: "AWS_REGION" });
      // The region becomes a part of the host that the keys are sent to.
      if (!/^[a-z0-9-]{1,32}$/.test(region))
        throw notReady(model, "needs a region like us-east-1 in AWS_REGION", { variable: "AWS_REGION" });
      const address = readVariable(variables, "AWS_ENDPOINT_URL_BEDROCK_RUNTIME");
      return { settings: { region, ...awsKeys(variables, model), ...(address !== undefined && { baseURL: address }) } };
    },
  };
}

function awsKeys(variables: Variables, model: string): Readonly<Record<string, Secret>> {
  if (readVariable(variables, "AWS_BEARER_TOKEN_BEDROCK") !== undefined) {
    return { apiKey: readKey(variables, "AWS_BEARER_TOKEN_BEDROCK", model) };
  }
  const hasSession = readVariable(variables, "AWS_SESSION_TOKEN") !== undefined;
  return {
    accessKeyId: readKey(variables, "AWS_ACCESS_KEY_ID", model),
    secretAccessKey: readKey(variables, "AWS_SECRET_ACCESS_KEY", model),
    ...(hasSession && { sessionToken: readKey(variables, "AWS_SESSION_TOKEN", model) }),
  };
}
