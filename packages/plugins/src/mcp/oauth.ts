import { createHash, randomUUID } from "node:crypto";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import type { KeptDocuments } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { OAuthSettings } from "./mcp-types.ts";

type Provider = OAuthClientProvider;
type ClientInformation = Awaited<ReturnType<Provider["clientInformation"]>>;
type Tokens = Awaited<ReturnType<Provider["tokens"]>>;
type Discovery = Parameters<NonNullable<Provider["saveDiscoveryState"]>>[0];
interface Issued {
  readonly issuer?: string;
}

/**
 * Serves the SDK's client while it authorizes. Everything is kept as documents of the tenant, so that another process can continue:
 * tokens and registrations by the issuer that gave them, so that no authorization server ever gets what another one issued.
 */
export class McpOAuth implements OAuthClientProvider {
  /** Where a person has to go, once the server asked for it. */
  authorizationUrl: string | undefined;
  readonly #server: string;
  readonly #settings: OAuthSettings;
  readonly #documents: KeptDocuments;

  constructor(server: string, settings: OAuthSettings, documents: KeptDocuments) {
    this.#server = server;
    this.#settings = settings;
    this.#documents = documents;
  }

  get redirectUrl(): string {
    return this.#settings.redirect_url;
  }

  get clientMetadataUrl(): string {
    // Read as absent by the client when it is none.
    return this.#settings.client_metadata_url as string;
  }

  get clientMetadata(): Provider["clientMetadata"] {
    const { redirect_url, scope, client_secret } = this.#settings;
    return {
      client_name: "Reprise",
      redirect_uris: [redirect_url],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: client_secret === undefined ? "none" : "client_secret_post",
      ...(scope !== undefined && { scope }),
    };
  }

  async state(): Promise<string> {
    const state = randomUUID();
    await this.#save("state", state);
    return state;
  }

  async clientInformation(context?: Issued): Promise<ClientInformation> {
    const { client_id, client_secret } = this.#settings;
    if (client_id !== undefined) return { client_id, ...(client_secret !== undefined && { client_secret }) };
    return (await this.#load(`client.${keyOf(context)}`)) as ClientInformation;
  }

  saveClientInformation(information: NonNullable<ClientInformation>, context?: Issued): Promise<void> {
    return this.#save(`client.${keyOf(context)}`, information);
  }

  async tokens(context?: Issued): Promise<Tokens> {
    return (await this.#load(`tokens.${keyOf(context ?? (await this.#issuer()))}`)) as Tokens;
  }

  async saveTokens(tokens: NonNullable<Tokens>, context?: Issued): Promise<void> {
    await this.#save("issuer", { issuer: context?.issuer ?? "" });
    await this.#save(`tokens.${keyOf(context)}`, tokens);
    // Kept until the person is back, for the code to go where it came from. Later the server may name another authorization server.
    await this.invalidateCredentials("discovery");
    this.authorizationUrl = undefined;
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url.href;
  }

  saveCodeVerifier(verifier: string): Promise<void> {
    return this.#save("verifier", verifier);
  }

  async codeVerifier(): Promise<string> {
    return String((await this.#load("verifier")) ?? "");
  }

  saveDiscoveryState(state: Discovery): Promise<void> {
    return this.#save("discovery", state);
  }

  async discoveryState(): Promise<Discovery | undefined> {
    return (await this.#load("discovery")) as Discovery | undefined;
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    const key = keyOf(await this.#issuer());
    const names = {
      client: [`client.${key}`],
      tokens: [`tokens.${key}`],
      verifier: ["verifier"],
      discovery: ["discovery"],
    };
    const gone = scope === "all" ? Object.values(names).flat() : names[scope];
    for (const name of gone) await this.#documents.delete(this.#id(name));
  }

  /** Whether a callback answers the question that was asked last. */
  async isExpected(state: string | null): Promise<boolean> {
    const asked = await this.#load("state");
    await this.#documents.delete(this.#id("state"));
    return typeof asked === "string" && asked === state;
  }

  async #issuer(): Promise<Issued> {
    return ((await this.#load("issuer")) ?? {}) as Issued;
  }

  #id(name: string): string {
    return `${this.#server}.${name}`;
  }

  async #load(name: string): Promise<Json | undefined> {
    return (await this.#documents.load(this.#id(name)))?.body;
  }

  async #save(name: string, body: unknown): Promise<void> {
    const known = await this.#documents.load(this.#id(name));
    // What the client gives is JSON, but for fields that are undefined.
    const plain = JSON.parse(JSON.stringify(body)) as Json;
    await this.#documents.save(this.#id(name), plain, known?.revision ?? 0);
  }
}

function keyOf({ issuer = "" }: Issued = {}): string {
  return createHash("sha256").update(issuer).digest("hex").slice(0, 16);
}
