import { type McpAbilities, readAbilities } from "@reprise/protocols/mcp";
import type { TenantRuntime } from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";
import { randomHex } from "../security/digest.ts";
import { type Principal, principalKey } from "../security/principal.ts";

const KIND = "mcp_session";
/** A session that is older than this begins anew. */
const SESSION_MS = 7 * 86_400_000;

interface StoredSession {
  readonly principal: string;
  readonly elicits: boolean;
}

/** Opens a session of a client of 2025. It is a document, so any process of the store continues it. */
export async function openSession(runtime: TenantRuntime, principal: Principal, params: JsonObject): Promise<string> {
  const id = randomHex(24);
  const { elicits } = readAbilities(params.capabilities);
  const body: Json = { principal: principalKey(principal), elicits };
  await runtime.documents.saveDocument({ kind: KIND, id, body, expires_at: runtime.now() + SESSION_MS }, 0);
  return id;
}

/** The abilities of the client of a session. Undefined for a session that ended, never was, or is another principal's. */
export async function findSession(
  runtime: TenantRuntime,
  principal: Principal,
  id: string,
): Promise<McpAbilities | undefined> {
  const document = await runtime.documents.loadDocument(KIND, id);
  // Written above.
  const session = document?.body as unknown as StoredSession | undefined;
  if (session === undefined || session.principal !== principalKey(principal)) return undefined;
  return { elicits: session.elicits, hasTasks: false };
}

export async function closeSession(runtime: TenantRuntime, id: string): Promise<void> {
  await runtime.documents.deleteDocument(KIND, id);
}
