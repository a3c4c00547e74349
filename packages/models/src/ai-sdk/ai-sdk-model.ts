import { RepriseError } from "@reprise/contracts";

export type SpecVersion = "v2" | "v3" | "v4";

/**
 * A language model of an AI SDK provider package, of any version of its specification that is still in use. Described by what is
 * used of it, so that no version of those packages has to be installed.
 */
export interface AiSdkModel {
  readonly specificationVersion: SpecVersion;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: UrlPatterns | PromiseLike<UrlPatterns>;
  /** Takes the call options of its version. */
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** By media type, with `*` for any: addresses the provider reads itself. */
export type UrlPatterns = Readonly<Record<string, readonly RegExp[]>>;

/** What is said for one provider alone, by the provider's name. */
export type ProviderFields = { readonly [provider: string]: { readonly [key: string]: unknown } };

/** The parts of a stream that are read here, of all versions: what only some have is optional. */
export type StreamPart =
  | {
      readonly type: "text-start" | "text-end" | "reasoning-start" | "reasoning-end" | "tool-input-end";
      readonly id: string;
      readonly providerMetadata?: ProviderFields;
    }
  | {
      readonly type: "text-delta" | "reasoning-delta" | "tool-input-delta";
      readonly id: string;
      readonly delta: string;
      readonly providerMetadata?: ProviderFields;
    }
  | {
      readonly type: "tool-input-start";
      readonly id: string;
      readonly toolName: string;
      readonly providerExecuted?: boolean;
    }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: string;
      readonly providerExecuted?: boolean;
      readonly providerMetadata?: ProviderFields;
    }
  | { readonly type: "file"; readonly mediaType: string; readonly data: WrittenFileData }
  | { readonly type: "response-metadata"; readonly id?: string; readonly modelId?: string }
  | {
      readonly type: "finish";
      readonly finishReason: WrittenFinishReason;
      readonly usage: WrittenUsage;
      readonly providerMetadata?: ProviderFields;
    }
  | { readonly type: "error"; readonly error: unknown }
  | {
      readonly type:
        | "stream-start"
        | "source"
        | "tool-result"
        | "raw"
        | "ping"
        | "custom"
        | "reasoning-file"
        | "tool-approval-request";
    };

/** v2 and v3: the data itself, in base64 or as bytes. v4 says which it is, or where it lies. */
export type WrittenFileData =
  | string
  | Uint8Array
  | { readonly type: "data"; readonly data: string | Uint8Array }
  | { readonly type: "url"; readonly url: URL };

/** v2: one word. v3 and v4: the word, and the provider's own. */
export type WrittenFinishReason = string | { readonly unified: string; readonly raw: string | undefined };

/** v2: numbers. v3 and v4: broken down. */
export interface WrittenUsage {
  readonly inputTokens?:
    | number
    | {
        readonly total?: number | undefined;
        readonly cacheRead?: number | undefined;
        readonly cacheWrite?: number | undefined;
      }
    | undefined;
  readonly outputTokens?:
    | number
    | { readonly total?: number | undefined; readonly reasoning?: number | undefined }
    | undefined;
  readonly totalTokens?: number | undefined;
  readonly reasoningTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}

/** Refuses a model of an unknown specification version. */
export function assertVersion({ specificationVersion, provider, modelId }: AiSdkModel): void {
  if (["v2", "v3", "v4"].includes(specificationVersion)) return;
  const message = `Model ${provider}/${modelId} is of AI SDK specification ${specificationVersion}; known are v2, v3 and v4.`;
  throw new RepriseError("INVALID_DEFINITION", message, { details: { provider, model: modelId } });
}

/** The provider's name as its own options are keyed: `anthropic` for `anthropic.messages`. */
export function rootOf(provider: string): string {
  if (provider.includes("anthropic")) return "anthropic";
  if (provider.includes("bedrock")) return "bedrock";
  return /^[^.]*/.exec(provider)?.[0] ?? provider;
}
