import type { Runtime } from "@reprise/runtime";
import { type Authenticate, anyOf, createApiKeys, createJwtAuthenticate } from "@reprise/server";
import type { AuthConfig } from "@reprise/server/config";

/** The configured authentication; undefined without any. */
export async function createAuthenticate(
  runtime: Runtime,
  { requireKeys, jwt }: { readonly requireKeys: boolean; readonly jwt: AuthConfig["jwt"] },
): Promise<Authenticate | undefined> {
  const keys = requireKeys ? [createApiKeys(runtime).authenticate] : [];
  if (jwt === undefined) return keys[0];
  const { issuer, audience, algorithm, jwks_url, public_key, claims } = jwt;
  const tokens = await createJwtAuthenticate({
    issuer,
    audience,
    algorithm,
    ...(jwks_url !== undefined && { jwksUrl: jwks_url }),
    ...(public_key !== undefined && { publicKey: public_key }),
    ...(claims !== undefined && { claims }),
  });
  return anyOf(...keys, tokens);
}
