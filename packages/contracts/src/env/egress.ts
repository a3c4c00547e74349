/**
 * Gets what lies at an address that somebody outside gave: a provider, a model, a user. Every such address goes through here.
 * - Only `http` and `https`, without user names, and no redirect is followed. No key ever goes along.
 * - Only hosts on the public internet. Each address a name resolves to is checked, and the one that was checked is the one that is
 *   connected to.
 * - Nothing beyond `maxBytes` is read.
 * - A refusal is a `RepriseError` with `ADDRESS_REFUSED`.
 */
export interface Egress {
  download(url: string, options: DownloadOptions): Promise<Download>;
}

export interface DownloadOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  /**
   * The origin of an address that the operator configured. It may be on this machine or in a private network, if it says so itself:
   * by an IP address or as `localhost`. A name may come to mean another host.
   */
  readonly configured?: string;
}

export interface Download {
  readonly status: number;
  readonly media_type?: string;
  /** Empty unless the status is a good one. */
  readonly content: Uint8Array;
}
