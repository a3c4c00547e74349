/**
 * Fetches an address that a provider, a model or a user gave. Every foreign address is fetched through here.
 * - Only `http` and `https`, without user names. Redirects are not followed. No credentials are sent.
 * - Only hosts on the public internet. Every address that a name resolves to is checked, and the connection goes to the checked
 *   address.
 * - Nothing beyond `maxBytes` is read.
 * - A refusal is a `RepriseError` with `ADDRESS_REFUSED`.
 */
export interface Egress {
  download(url: string, options: DownloadOptions): Promise<Download>;
  /**
   * Sends one request of a protocol and answers as soon as the headers are there. The body streams. Headers of the request go to this
   * address and to no other. A redirect is an answer like any other.
   */
  send(url: string, request: EgressRequest): Promise<EgressResponse>;
}

export interface EgressRequest extends Pick<DownloadOptions, "configured"> {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** The operator vouches for the name of the configured origin too: it may lead into a private network. */
  readonly isPrivate?: boolean;
}

export interface EgressResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface DownloadOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /**
   * The origin of an address that the operator configured. It may be on this machine or in a private network if it is written as
   * an IP address or as `localhost`. A host name could later resolve to another machine.
   */
  readonly configured?: string;
}

export interface Download {
  readonly status: number;
  readonly media_type?: string;
  /** Empty unless the status is successful. */
  readonly content: Uint8Array;
}
