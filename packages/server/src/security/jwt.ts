import { assertId, invalidRequest } from "@reprise/contracts";
import { bearerOf } from "./bearer.ts";
import { type Authenticate, type Principal, SCOPES, type Scope } from "./principal.ts";

/** Signatures made with a private key and checked with a public one. A shared secret is not among them, and `none` is no signature. */
export const JWT_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

export type JwtAlgorithm = (typeof JWT_ALGORITHMS)[number];

export interface JwtOptions {
  /** The issuer of the tokens, exactly as in their `iss`. */
  readonly issuer: string;
  /** The audience of the tokens, exactly as in their `aud`. Tokens for other services are refused. */
  readonly audience: string;
  /** The only accepted algorithm. The algorithm that a token names is not trusted. */
  readonly algorithm: JwtAlgorithm;
  /** The issuer's public key, as PEM (`-----BEGIN PUBLIC KEY-----`) or as a JWK. This, or `jwksUrl`. */
  readonly publicKey?: string | Readonly<Record<string, unknown>>;
  /** Where the issuer publishes its keys: https, or this machine. */
  readonly jwksUrl?: string;
  /** The names of the claims that say what a token opens. */
  readonly claims?: JwtClaims;
  /** How far apart the clocks may be; 30 seconds unless given. */
  readonly toleranceSeconds?: number;
}

export interface JwtClaims {
  /** `tenant` unless given, and then a token may be without it and belongs to the runtime's own. Given, it must be there. */
  readonly tenant?: string;
  /** A list, or words with spaces in between; `scope` unless given. Words that are no scopes here are passed over. */
  readonly scopes?: string;
}

/** A longer text is no token. */
const LONGEST_TOKEN = 8_192;

/** Lets tokens of an issuer in. Every mistake in the options is found here, and not when the first token comes. */
export async function createJwtAuthenticate(options: JwtOptions): Promise<Authenticate> {
  assertOptions(options);
  // Loaded where there are JWTs, and only there: it takes longer than the rest of the server.
  const { createVerify } = await import("./verify-jwt.ts");
  const verify = await createVerify(options);
  return async (headers) => {
    const token = bearerOf(headers);
    if (token === undefined || token.length > LONGEST_TOKEN || token.split(".").length !== 3) return undefined;
    const payload = await verify(token);
    return payload === undefined ? undefined : readPrincipal(options.issuer, payload, options.claims ?? {});
  };
}

function readPrincipal(
  issuer: string,
  payload: Readonly<Record<string, unknown>>,
  claims: JwtClaims,
): Principal | undefined {
  const { sub } = payload;
  const tenant = payload[claims.tenant ?? "tenant"];
  if (typeof sub !== "string" || sub === "") return undefined;
  if (tenant === undefined && claims.tenant !== undefined) return undefined;
  if (tenant !== undefined && !isTenant(tenant)) return undefined;
  return {
    id: `jwt:${issuer}:${sub}`,
    scopes: readScopes(payload[claims.scopes ?? "scope"]),
    ...(tenant !== undefined && { tenant }),
  };
}

function isTenant(value: unknown): value is string {
  try {
    if (typeof value !== "string") return false;
    assertId("tenant", value);
    return true;
  } catch {
    return false;
  }
}

function readScopes(value: unknown): readonly Scope[] {
  const words: readonly unknown[] = typeof value === "string" ? value.split(" ") : Array.isArray(value) ? value : [];
  return SCOPES.filter((scope) => words.includes(scope));
}

function assertOptions({ issuer, audience, algorithm, publicKey, jwksUrl }: JwtOptions): void {
  if (!issuer || !audience) throw invalidRequest("JWTs need an issuer and an audience.");
  if (!JWT_ALGORITHMS.includes(algorithm)) {
    throw invalidRequest(`JWTs are signed with one of ${JWT_ALGORITHMS.join(", ")}, not ${algorithm}.`);
  }
  if ((publicKey === undefined) === (jwksUrl === undefined)) {
    throw invalidRequest("JWTs are checked with a publicKey or with keys from a jwksUrl: give one of the two.");
  }
}
