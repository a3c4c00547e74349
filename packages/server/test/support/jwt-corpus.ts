import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { type JWTPayload, SignJWT } from "jose";

export const ISSUER = "https://issuer.example";
export const AUDIENCE = "reprise";
const now = (): number => Math.floor(Date.now() / 1_000);

export interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Made once: a pair of RSA keys takes longer than all the rest. */
export const OURS: Keys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
export const THEIRS: Keys = generateKeyPairSync("rsa", { modulusLength: 2_048 });
export const CURVE: Keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
export const PEM: string = OURS.publicKey.export({ type: "spki", format: "pem" }).toString();

/** What a good token says. */
export const claims = (more: object = {}): JWTPayload => ({
  iss: ISSUER,
  aud: AUDIENCE,
  sub: "ann",
  exp: now() + 60,
  tenant: "acme",
  scope: "read run",
  ...more,
});

const without = (...names: readonly string[]): JWTPayload =>
  Object.fromEntries(Object.entries(claims()).filter(([name]) => !names.includes(name)));

export function sign(payload: JWTPayload, header: object = {}, keys: Keys = OURS): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: "RS256", ...header }).sign(keys.privateKey);
}

const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A token whose parts are what they are. */
const raw = (header: unknown, payload: unknown, signature = ""): string =>
  `${encode(header)}.${encode(payload)}.${signature}`;

/** Signed with the public key as if it were a shared secret: a verifier that trusts the token's algorithm accepts it. */
function confused(alg: "HS256" | "HS384" | "HS512", secret: string): string {
  const text = `${encode({ alg, typ: "JWT" })}.${encode(claims({ scope: "admin" }))}`;
  return `${text}.${createHmac(alg.replace("HS", "sha"), secret).update(text).digest("base64url")}`;
}

const change = async (alter: (parts: readonly string[]) => readonly string[]): Promise<string> =>
  alter((await sign(claims())).split(".")).join(".");

const theirKey = (): object => ({ ...THEIRS.publicKey.export({ format: "jwk" }), alg: "RS256", use: "sig", kid: "a" });
const ourModulus = (): string => String(OURS.publicKey.export({ format: "jwk" }).n);

type Case = readonly [name: string, make: () => string | Promise<string>];

/** Tokens none of which may be taken for RS256 with our key. */
export const BAD_TOKENS: readonly Case[] = [
  ["no algorithm", () => raw({ alg: "none" }, claims())],
  ["no algorithm, None", () => raw({ alg: "None" }, claims())],
  ["no algorithm, nOnE", () => raw({ alg: "nOnE" }, claims())],
  ["no algorithm, NONE", () => raw({ alg: "NONE" }, claims())],
  ["no algorithm, with a signature", async () => raw({ alg: "none" }, claims(), (await sign(claims())).split(".")[2])],
  ["an empty algorithm", () => raw({ alg: "" }, claims())],
  ["no header field alg", () => raw({ typ: "JWT" }, claims())],
  ["alg twice", () => raw('{"alg":"RS256","alg":"none"}', claims())],
  ["HS256 with the PEM as secret", () => confused("HS256", PEM)],
  ["HS384 with the PEM as secret", () => confused("HS384", PEM)],
  ["HS512 with the PEM as secret", () => confused("HS512", PEM)],
  ["HS256 with the trimmed PEM as secret", () => confused("HS256", PEM.trim())],
  ["HS256 with the modulus as secret", () => confused("HS256", ourModulus())],
  ["HS256 with an empty secret", () => confused("HS256", "")],
  ["RS384 with our key", () => sign(claims(), { alg: "RS384" })],
  ["RS512 with our key", () => sign(claims(), { alg: "RS512" })],
  ["PS256 with our key", () => sign(claims(), { alg: "PS256" })],
  ["ES256 with another key", () => sign(claims(), { alg: "ES256" }, CURVE)],
  ["ES256 with a signature of zeros", () => raw({ alg: "ES256" }, claims(), encode("\0".repeat(64)))],
  ["another key", () => sign(claims(), {}, THEIRS)],
  ["another key under our key's id", () => sign(claims(), { kid: "main" }, THEIRS)],
  ["another key in the header", () => sign(claims(), { jwk: theirKey() }, THEIRS)],
  ["a list of keys elsewhere", () => sign(claims(), { jku: "http://127.0.0.1:9/keys", kid: "a" }, THEIRS)],
  ["a certificate elsewhere", () => sign(claims(), { x5u: "http://127.0.0.1:9/cert" }, THEIRS)],
  ["a certificate in the header", () => sign(claims(), { x5c: ["MIIB"] }, THEIRS)],
  ["a key id that is a path", () => sign(claims(), { kid: "../../../dev/null" }, THEIRS)],
  ["a key id that is a query", () => sign(claims(), { kid: "' OR 1=1 --" }, THEIRS)],
  ["another issuer", () => sign(claims({ iss: "https://evil.example" }))],
  ["no issuer", () => sign(without("iss"))],
  ["an issuer that begins like ours", () => sign(claims({ iss: `${ISSUER}.evil.example` }))],
  ["an issuer with a slash more", () => sign(claims({ iss: `${ISSUER}/` }))],
  ["an issuer in capitals", () => sign(claims({ iss: ISSUER.toUpperCase() }))],
  ["a list of issuers", () => sign(claims({ iss: [ISSUER] }))],
  ["another audience", () => sign(claims({ aud: "billing" }))],
  ["no audience", () => sign(without("aud"))],
  ["no audience of a list", () => sign(claims({ aud: ["billing", "mail"] }))],
  ["an empty list of audiences", () => sign(claims({ aud: [] }))],
  ["an audience that begins like ours", () => sign(claims({ aud: `${AUDIENCE}-admin` }))],
  ["an audience that is an object", () => sign(claims({ aud: { [AUDIENCE]: true } }))],
  ["a time that is over", () => sign(claims({ exp: now() - 3_600 }))],
  ["a time that is over by more than clocks differ", () => sign(claims({ exp: now() - 45 }))],
  ["no end", () => sign(without("exp"))],
  ["an end that is a text", () => sign(claims({ exp: String(now() + 60) }))],
  ["an end that is nothing", () => sign(claims({ exp: null }))],
  ["an end at zero", () => sign(claims({ exp: 0 }))],
  ["a beginning that is to come", () => sign(claims({ nbf: now() + 3_600 }))],
  ["a beginning that is a text", () => sign(claims({ nbf: "0" }))],
  ["nobody", () => sign(without("sub"))],
  ["somebody without a name", () => sign(claims({ sub: "" }))],
  ["somebody who is a number", () => sign(claims({ sub: 7 }))],
  ["somebody who is a list", () => sign(claims({ sub: ["ann"] }))],
  [
    "a payload that was changed",
    () => change(([head = "", , tail = ""]) => [head, encode(claims({ scope: "admin" })), tail]),
  ],
  [
    "a header that was changed",
    () => change(([, body = "", tail = ""]) => [encode({ alg: "RS256", kid: "x" }), body, tail]),
  ],
  ["a signature that is cut", () => change(([head = "", body = "", tail = ""]) => [head, body, tail.slice(0, -4)])],
  [
    "a signature with another first letter",
    () =>
      change(([head = "", body = "", tail = ""]) => [
        head,
        body,
        `${tail.startsWith("A") ? "B" : "A"}${tail.slice(1)}`,
      ]),
  ],
  ["no signature", () => change(([head = "", body = ""]) => [head, body, ""])],
  [
    "the signature of another token",
    async () => {
      const [head = "", body = ""] = (await sign(claims({ scope: "admin" }))).split(".");
      return `${head}.${body}.${(await sign(claims())).split(".")[2]}`;
    },
  ],
  ["four parts", () => change((parts) => [...parts, "x"])],
  ["two parts", () => change((parts) => parts.slice(0, 2))],
  ["five parts, as if it were encrypted", () => change((parts) => [...parts, "x", "y"])],
  ["a payload that is no JSON", () => raw({ alg: "RS256" }, "nothing", "AAAA")],
  ["a payload that is a list", () => raw({ alg: "RS256" }, [claims()], "AAAA")],
  [
    "an extension nobody knows",
    () => change(([, body = "", tail = ""]) => [encode({ alg: "RS256", crit: ["x"], x: 1 }), body, tail]),
  ],
  [
    "a payload that is not encoded",
    () => change(([, body = "", tail = ""]) => [encode({ alg: "RS256", crit: ["b64"], b64: false }), body, tail]),
  ],
  ["a tenant that is a number", () => sign(claims({ tenant: 7 }))],
  ["a tenant that is empty", () => sign(claims({ tenant: "" }))],
  ["a tenant with a slash", () => sign(claims({ tenant: "acme/other" }))],
  ["a list of tenants", () => sign(claims({ tenant: ["acme"] }))],
  ["a tenant that is nothing", () => sign(claims({ tenant: null }))],
  ["more than a token", () => sign(claims({ padding: "x".repeat(10_000) }))],
];
