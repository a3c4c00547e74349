import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen, serveFixture } from "./open-mcp.ts";

/** An authorization server for public clients: metadata, authorization code with PKCE, refresh tokens. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** The forms that its token endpoint got. */
  readonly forms: readonly Readonly<Record<string, string>>[];
  /** Whether an access token is good. */
  isGood(token: string): boolean;
  /** Makes every access token worthless; refresh tokens stay good. */
  expire(): void;
  /** Makes every refresh token worthless, too. */
  revoke(): void;
}

export async function serveAuthorization(): Promise<AuthorizationServer> {
  const codes = new Map<string, { readonly challenge: string; readonly client: string }>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const forms: Record<string, string>[] = [];
  const issue = (): object => {
    const [access_token, refresh_token] = [randomUUID(), randomUUID()];
    access.add(access_token);
    refresh.add(refresh_token);
    return { access_token, refresh_token, token_type: "Bearer", expires_in: 3_600 };
  };
  const trade = (form: Record<string, string>): object | undefined => {
    if (form.grant_type === "refresh_token") return refresh.delete(form.refresh_token ?? "") ? issue() : undefined;
    const code = codes.get(form.code ?? "");
    const verified = createHash("sha256")
      .update(form.code_verifier ?? "")
      .digest("base64url");
    return code?.challenge === verified && code.client === form.client_id ? issue() : undefined;
  };
  const url = await listen(
    createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", issuer);
      if (pathname.startsWith("/.well-known/oauth-authorization-server")) return sendJson(response, 200, metadata());
      if (pathname === "/authorize") {
        const code = randomUUID();
        const client = searchParams.get("client_id") ?? "";
        codes.set(code, { challenge: searchParams.get("code_challenge") ?? "", client });
        const target = new URL(searchParams.get("redirect_uri") ?? "");
        target.search = String(new URLSearchParams({ code, state: searchParams.get("state") ?? "", iss: issuer }));
        return response.writeHead(302, { location: target.href }).end();
      }
      if (pathname !== "/token") return response.writeHead(404).end();
      const form = Object.fromEntries(new URLSearchParams(await readText(request)));
      forms.push(form);
      const tokens = trade(form);
      sendJson(response, tokens === undefined ? 400 : 200, tokens ?? { error: "invalid_grant" });
    }),
  );
  const issuer = new URL(url).origin;
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  });
  return {
    issuer,
    forms,
    isGood: (token) => access.has(token),
    expire: () => access.clear(),
    revoke: () => {
      access.clear();
      refresh.clear();
    },
  };
}

/** Serves the fixture to those who have a token of the authorization server that is named at the time. */
export async function serveProtected(current: () => AuthorizationServer): Promise<string> {
  return serveFixture({}, "reject", (request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url?.startsWith("/.well-known/oauth-protected-resource")) {
      sendJson(response, 200, { resource: `${origin}/mcp`, authorization_servers: [current().issuer] });
      return true;
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    if (current().isGood(token)) return false;
    const where = `${origin}/.well-known/oauth-protected-resource/mcp`;
    response.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${where}"` }).end();
    return true;
  });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
