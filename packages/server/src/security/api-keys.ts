import { assertId, type Documents, invalidRequest, type StoredDocument } from "@reprise/contracts";
import type { Runtime } from "@reprise/runtime";
import { bearerOf } from "./bearer.ts";
import { digest, isSameText, randomHex } from "./digest.ts";
import { type Authenticate, type Principal, SCOPES, type Scope } from "./principal.ts";

export interface NewApiKey {
  /** For people: who has it, what for. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Whose threads it opens; the runtime's own tenant unless given. */
  readonly tenant?: string;
  /** From then on it opens nothing, in milliseconds. */
  readonly expiresAt?: number;
}

/** The stored description of a key. The key itself is not stored. */
export interface ApiKeyInfo {
  readonly id: string;
  readonly name: string;
  /** How the key begins, to recognise it by. */
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly created_at: number;
  readonly expires_at?: number;
}

/** Keys as documents of the tenant they open. */
export interface ApiKeys {
  /** Makes a key. This is the only time it can be seen. */
  create(key: NewApiKey): Promise<{ readonly key: string; readonly info: ApiKeyInfo }>;
  list(tenant?: string): Promise<readonly ApiKeyInfo[]>;
  /** Revokes a key at once. False when the key does not exist. */
  revoke(id: string, tenant?: string): Promise<boolean>;
  /** Reads `Authorization: Bearer <key>` or `X-Api-Key: <key>`. */
  readonly authenticate: Authenticate;
}

const KIND = "api_key";
/** Tenant, id and secret. The tenant says where to look; a wrong one finds nothing. */
const FORM = /^rk\.([\w%~-]*)\.([0-9a-f]{16})\.([0-9a-f]{64})$/;

export function createApiKeys(runtime: Runtime): ApiKeys {
  const documentsOf = (tenant: string | undefined): Documents =>
    (tenant === undefined ? runtime : runtime.forTenant(tenant)).documents;
  return {
    async create(asked) {
      assertKey(asked, runtime.now());
      const { name, scopes, tenant, expiresAt } = asked;
      const id = randomHex(8);
      const head = `rk.${tokenOf(tenant)}.${id}`;
      const key = `${head}.${randomHex(32)}`;
      const info = {
        id,
        name,
        prefix: `${head}.${key.slice(head.length + 1, head.length + 5)}`,
        scopes,
        created_at: runtime.now(),
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
      };
      const body = { ...info, hash: await digest(key) };
      const document = { kind: KIND, id, body, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
      const { saved } = await documentsOf(tenant).saveDocument(document, 0);
      if (!saved) throw invalidRequest(`There is a key ${id} already. Try again.`);
      return { key, info };
    },
    async list(tenant) {
      const keys: ApiKeyInfo[] = [];
      for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const page = await documentsOf(tenant).listDocuments({ kind: KIND, ...(after !== undefined && { after }) });
        keys.push(...page.items.map((document) => readKey(document).info));
        after = page.next;
      }
      return keys;
    },
    revoke: (id, tenant) => documentsOf(tenant).deleteDocument(KIND, id),
    async authenticate(headers) {
      const key = keyIn(headers);
      const [, token = "", id = ""] = FORM.exec(key) ?? [];
      const tenant = tenantOf(token);
      if (id === "" || tenant === "no tenant") return undefined;
      const document = await documentsOf(tenant?.id).loadDocument(KIND, id);
      if (document === undefined) return undefined;
      const { hash, info } = readKey(document);
      if (!isSameText(hash, await digest(key)) || (info.expires_at ?? Infinity) <= runtime.now()) return undefined;
      return {
        id: `key:${id}`,
        scopes: info.scopes,
        ...(tenant !== undefined && { tenant: tenant.id }),
      } satisfies Principal;
    },
  };
}

function keyIn(headers: Headers): string {
  return bearerOf(headers) ?? headers.get("x-api-key") ?? "";
}

/** A tenant's id in characters that a header takes; a point would end it. */
function tokenOf(tenant: string | undefined): string {
  return tenant === undefined
    ? ""
    : encodeURIComponent(tenant).replace(/[.!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}

function tenantOf(token: string): { readonly id: string } | undefined | "no tenant" {
  if (token === "") return undefined;
  try {
    const id = decodeURIComponent(token);
    assertId("tenant", id);
    return { id };
  } catch {
    return "no tenant";
  }
}

function assertKey({ scopes, tenant, expiresAt }: NewApiKey, now: number): void {
  if (tenant !== undefined) assertId("tenant", tenant);
  if (scopes.length === 0 || !scopes.every((scope) => SCOPES.includes(scope))) {
    throw invalidRequest(`A key has one or more of the scopes ${SCOPES.join(", ")}.`);
  }
  if (expiresAt !== undefined && !(expiresAt > now)) throw invalidRequest("The end of a key lies in the future.");
}

function readKey({ body }: StoredDocument): { readonly hash: string; readonly info: ApiKeyInfo } {
  // Written by `create` alone, under a kind of its own.
  const { hash, ...info } = body as unknown as ApiKeyInfo & { readonly hash: string };
  return { hash, info };
}
