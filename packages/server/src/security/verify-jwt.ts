import { invalidRequest } from "@reprise/contracts";
import { errors, importJWK, importSPKI, type JWTVerifyGetKey, jwtVerify } from "jose";
import { HttpRefusal } from "../http/http-refusal.ts";
import { fetchKeys, KeysUnavailable } from "./fetch-keys.ts";
import type { JwtOptions } from "./jwt.ts";

/** The claims of a token that is one; undefined for any other. */
export type VerifyJwt = (token: string) => Promise<Readonly<Record<string, unknown>> | undefined>;

const TOLERANCE_SECONDS = 30;
const RETRY = { "retry-after": "5" };

export async function createVerify(options: JwtOptions): Promise<VerifyJwt> {
  const { issuer, audience, algorithm, toleranceSeconds = TOLERANCE_SECONDS } = options;
  const findKey = await createKeySource(options);
  const verification = {
    issuer,
    audience,
    algorithms: [algorithm],
    clockTolerance: toleranceSeconds,
    requiredClaims: ["exp", "sub"],
  };
  return async (token) => {
    try {
      return (await jwtVerify(token, findKey, verification)).payload;
    } catch (error) {
      if (isAboutKeys(error)) throw new HttpRefusal(503, "unavailable: the issuer's keys cannot be had", RETRY);
      // The reason is not told: a legitimate issuer knows it, and an attacker must not.
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  };
}

/** The library says so in its own words when what it got is no list of keys, or nothing came. */
function isAboutKeys(error: unknown): boolean {
  const codes: readonly string[] = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JOSEError.code];
  return error instanceof KeysUnavailable || (error instanceof errors.JOSEError && codes.includes(error.code));
}

async function createKeySource({ publicKey, jwksUrl, algorithm }: JwtOptions): Promise<JWTVerifyGetKey> {
  if (jwksUrl !== undefined) return fetchKeys(jwksUrl);
  try {
    const key =
      typeof publicKey === "string"
        ? await importSPKI(publicKey, algorithm)
        : await importJWK({ ...publicKey, alg: algorithm }, algorithm);
    if (key instanceof Uint8Array || key.type !== "public") throw new TypeError("not a public key");
    return () => key;
  } catch (cause) {
    const message = `The public key of JWTs cannot be read, or is not one for ${algorithm}.`;
    throw invalidRequest(message, { cause: String(cause) });
  }
}
