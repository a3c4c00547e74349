import { RepriseError, Secret } from "@reprise/contracts";

/** Where requests go. */
export interface Endpoint {
  readonly url: string;
  /** From a user name and password in the address: they belong in a header, and nowhere else. */
  readonly authorization?: Secret;
}

/** Reads the address of a server as people write it, up to `/v1`, with or without a slash, and adds the path of what is asked of it. */
export function readEndpoint(providerId: string, baseUrl: string, path: string): Endpoint {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // The address itself may hold a password, so it is not repeated.
    throw new RepriseError(
      "INVALID_DEFINITION",
      `The base URL of the provider ${providerId} is not an http(s) address.`,
      {
        details: { provider: providerId },
      },
    );
  }
  const { username, password } = url;
  url.username = "";
  url.password = "";
  url.hash = "";
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, "")}${path}`;
  if (username === "" && password === "") return { url: url.href };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { url: url.href, authorization: new Secret(`Basic ${Buffer.from(pair).toString("base64")}`) };
}
