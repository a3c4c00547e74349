import {
  createRedactor,
  type LanguageModel,
  type MediaModel,
  type ModelProvider,
  Secret,
  toSecret,
} from "@reprise/contracts";
import { ImagesModel } from "../images/images-model.ts";
import type { Connection } from "../wire/open-answer.ts";
import { ChatModel } from "./chat-model.ts";
import { readEndpoint } from "./endpoint.ts";

/** A server that speaks chat completions: Ollama, vLLM, TensorZero, OpenAI itself, and many more. */
export interface OpenaiCompatibleOptions {
  /** The provider's id, the first half of its models' ids. */
  readonly id: string;
  /** Up to and with the version, as in `http://127.0.0.1:11434/v1`. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly apiKey?: Secret | string;
  /** Sent with every request. Their values are treated as secrets. */
  readonly headers?: Readonly<Record<string, Secret | string>>;
  /** Gets another key when one was refused; undefined when there is none. */
  readonly renewKey?: () => Promise<Secret | string | undefined>;
  /** The server's name for a model, when it is not the one agents use. */
  readonly rename?: (model: string) => string;
  readonly fetch?: typeof fetch;
}

/** The server may also generate pictures, at `/images/generations`. */
export interface OpenaiCompatibleProvider extends ModelProvider {
  media(name: string): MediaModel;
}

/** Models of a server that speaks chat completions, by the server's own names for them. */
export function openaiCompatible(options: OpenaiCompatibleOptions): OpenaiCompatibleProvider {
  const { id, rename = (model) => model, renewKey } = options;
  const endpoint = readEndpoint(id, options.baseUrl, "/chat/completions");
  const images = readEndpoint(id, options.baseUrl, "/images/generations");
  let key = options.apiKey === undefined ? undefined : bearer(options.apiKey);
  const connect = ({ url, accept }: { readonly url: string; readonly accept: string }): Connection => {
    const headers = new Map<string, Secret>();
    const authorization = key ?? endpoint.authorization;
    if (authorization !== undefined) headers.set("authorization", authorization);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name.toLowerCase(), toSecret(value));
    return {
      url,
      headers: {
        "content-type": "application/json",
        accept,
        ...Object.fromEntries([...headers].map(([name, value]) => [name, value.reveal()])),
      },
      fetch: options.fetch ?? fetch,
      // Made when something went wrong, which is seldom.
      redact: (text) => createRedactor([...headers.values()])(text),
    };
  };
  return {
    id,
    model: (name): LanguageModel =>
      new ChatModel(`${id}/${name}`, rename(name), () => connect({ url: endpoint.url, accept: "text/event-stream" })),
    media: (name): MediaModel =>
      new ImagesModel(`${id}/${name}`, rename(name), () => connect({ url: images.url, accept: "application/json" })),
    ...(renewKey !== undefined && {
      async refreshAuth() {
        const renewed = await renewKey();
        if (renewed !== undefined) key = bearer(renewed);
        return renewed !== undefined;
      },
    }),
  };
}

/** A key with a line end around it, as files and shells leave them, is the same key. */
function bearer(key: Secret | string): Secret {
  return new Secret(`Bearer ${toSecret(key).reveal().trim()}`);
}
