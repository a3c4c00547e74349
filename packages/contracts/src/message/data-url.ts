/** A `data:` URL in its parts. */
export interface DataUrl {
  /** As it is written; empty when the URL names none. */
  readonly mediaType: string;
  readonly isBase64: boolean;
  readonly body: string;
}

/** The longest head of a `data:` URL that is one: a media type and its parameters. */
const LONGEST_HEAD = 1_000;

/** Takes a `data:` URL apart, in time linear in its length; undefined when it is none. */
export function parseDataUrl(url: string): DataUrl | undefined {
  if (url.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const comma = url.indexOf(",");
  if (comma === -1 || comma > LONGEST_HEAD) return undefined;
  const [mediaType = "", ...parameters] = url.slice(SCHEME.length, comma).split(";");
  return { mediaType, isBase64: parameters.at(-1)?.toLowerCase() === "base64", body: url.slice(comma + 1) };
}

const SCHEME = "data:";
