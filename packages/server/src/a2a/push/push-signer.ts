import type { Runtime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { CompactSign, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { digestOf } from "../../security/digest.ts";

const KIND = "a2a_signing_key";
const ID = "current";
const ALGORITHM = "EdDSA";

/**
 * Signs notifications, so that a receiver can tell that they are from this server. All processes use one key, which the first of them
 * makes and stores.
 */
export class PushSigner {
  readonly #runtime: Pick<Runtime, "documents" | "now">;
  #key: Promise<JWK> | undefined;

  constructor(runtime: Pick<Runtime, "documents" | "now">) {
    this.#runtime = runtime;
  }

  /** A compact JWS over the digest of the body, the task and the time. */
  async sign(body: string, taskId: string): Promise<string> {
    const jwk = await this.#load();
    const claims = { iat: Math.floor(this.#runtime.now() / 1_000), task_id: taskId, body_sha256: await digestOf(body) };
    return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
      .setProtectedHeader({ alg: ALGORITHM, kid: jwk.kid ?? ID })
      .sign(await importJWK(jwk, ALGORITHM));
  }

  /** The public half, as a key set. */
  async publicKeys(): Promise<{ readonly keys: readonly JWK[] }> {
    const { d: _, ...open } = await this.#load();
    return { keys: [open] };
  }

  #load(): Promise<JWK> {
    this.#key ??= this.#loadOrMake().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }

  async #loadOrMake(): Promise<JWK> {
    const { documents } = this.#runtime;
    const stored = await documents.loadDocument(KIND, ID);
    // Only this class writes documents of its kind.
    if (stored !== undefined) return stored.body as unknown as JWK;
    const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
    const made = { ...(await exportJWK(privateKey)), kid: crypto.randomUUID(), alg: ALGORITHM, use: "sig" };
    const { document } = await documents.saveDocument({ kind: KIND, id: ID, body: made as Json }, 0);
    return (document?.body ?? made) as unknown as JWK;
  }
}
