import { randomBytes } from "node:crypto";
import type { Scope } from "@reprise/server";
import { type DemoServer, startDemo } from "./start-demo.ts";

/** A server of its own that asks who one is, as a client sees it. */
export interface GuardedServer extends DemoServer {
  /** Another door of the same server, at which it has little patience. */
  readonly impatientUrl: string;
  /** What its operator has: an administrator's credential for a tenant, or for the server's own. */
  rootOf(tenant?: string): string;
  /** Every credential that was given out. */
  given(): readonly string[];
  /** Makes an API key, as an administrator of the tenant does. */
  createKey(tenant: string, ...scopes: readonly Scope[]): Promise<string>;
  /** Asks with a credential, or with none. A path is one of the usual door; a URL says which. */
  ask(credential: string | undefined, path: string, init?: RequestInit): Promise<Response>;
  /** The same with a JSON body. */
  send(credential: string | undefined, method: string, path: string, body?: object): Promise<Response>;
}

export async function startGuarded(place: string): Promise<GuardedServer> {
  const word = randomBytes(24).toString("hex");
  const keys: string[] = [];
  const variables = { GUARDED_ROOT: word };
  const demo = await startDemo(place, { program: "serve-guarded.ts", variables, isQuiet: true });
  const [url = "", impatientUrl = ""] = demo.url.split(" ");
  const rootOf = (tenant = ""): string => `root.${word}.${tenant}`;
  const ask: GuardedServer["ask"] = (credential, path, init = {}) => {
    const headers = new Headers(init.headers);
    if (credential !== undefined) headers.set("authorization", `Bearer ${credential}`);
    return fetch(`${path.startsWith("/") ? url : ""}${path}`, { ...init, headers });
  };
  const send: GuardedServer["send"] = (credential, method, path, body) =>
    ask(credential, path, {
      method,
      ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
  return {
    ...demo,
    url,
    impatientUrl,
    given: () => [word, ...keys],
    rootOf,
    ask,
    send,
    async createKey(tenant, ...scopes) {
      const response = await send(rootOf(tenant), "POST", "/v1/keys", { name: "a test's", scopes });
      const { key } = await response.json();
      if (typeof key !== "string") throw new Error(`There is no key: ${response.status}.`);
      keys.push(key);
      return key;
    },
  };
}
