import { parseDataUrl } from "@reprise/contracts";
import { failureOf, type Speaker } from "../failure/failed-answer.ts";

/** A picture as a server hands it over: itself, or where it lies. */
export type GivenImage =
  | { readonly kind: "data"; readonly content: Uint8Array }
  | { readonly kind: "url"; readonly url: string };

export interface GivenImages {
  readonly images: readonly [GivenImage, ...GivenImage[]];
  /** `png`, `jpeg`, `webp`: what the server says they are. */
  readonly format: string | undefined;
}

/** Reads an answer. One that holds no picture is a failure: the error it holds, or none that can be read. */
export function readImages(speaker: Speaker, response: Response, body: string): GivenImages {
  const answer = parse(body);
  const images = Array.isArray(answer?.data) ? answer.data.map(readImage) : [];
  const [first, ...others] = images.filter((image) => image !== undefined);
  if (first === undefined || others.length + 1 < images.length) {
    throw failureOf(speaker, {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      body,
    });
  }
  return {
    images: [first, ...others],
    format: typeof answer?.output_format === "string" ? answer.output_format : undefined,
  };
}

function readImage(item: unknown): GivenImage | undefined {
  if (!isRecord(item)) return undefined;
  const { b64_json, url } = item;
  if (typeof b64_json === "string") return decode(b64_json);
  if (typeof url !== "string") return undefined;
  // Some servers put the picture itself where its address would be.
  const inline = parseDataUrl(url);
  return inline?.isBase64 ? decode(inline.body) : { kind: "url", url };
}

function decode(base64: string): GivenImage | undefined {
  // Blanks at the end go first: where two parts of a pattern may take them, it takes the square of their number to fail.
  if (!/^[A-Za-z0-9+/\s]+={0,2}$/.test(base64.trimEnd())) return undefined;
  return { kind: "data", content: new Uint8Array(Buffer.from(base64, "base64")) };
}

function parse(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
