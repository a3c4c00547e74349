import { COMPATIBLE } from "./compatible-entries.ts";
import { KEYED } from "./packaged-entries.ts";

/** The variables that a provider is found by. */
export interface ProviderVariables {
  readonly provider: string;
  /** Holds the address that the keys are sent to. */
  readonly address: string;
  /** Hold secrets. The first one is the provider's usual key. */
  readonly keys: readonly string[];
  /** Hold neither. */
  readonly others: readonly string[];
}

/** The variables of every provider that the environment can describe. */
export const PROVIDER_VARIABLES: readonly ProviderVariables[] = [
  ...KEYED.map(({ id, baseUrl, key }) => ({ provider: id, address: baseUrl, keys: [key], others: [] })),
  {
    provider: "bedrock",
    address: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    keys: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
    others: ["AWS_REGION", "AWS_DEFAULT_REGION"],
  },
  ...COMPATIBLE.map(({ id, address, key }) => ({
    provider: id,
    address,
    keys: key === undefined ? [] : [key],
    others: [],
  })),
];
