import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Authenticate, anyOf, createApiKeys, createJwtAuthenticate, type JwtOptions } from "@reprise/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { AUDIENCE, BAD_TOKENS, CURVE, claims, ISSUER, OURS, PEM, sign, THEIRS } from "./support/jwt-corpus.ts";
import { openDemo } from "./support/open-demo.ts";

const BASE = { issuer: ISSUER, audience: AUDIENCE, algorithm: "RS256" } as const;
const seconds = (): number => Math.floor(Date.now() / 1_000);

const ask = (authenticate: Authenticate, token: string): ReturnType<Authenticate> =>
  authenticate(new Headers({ authorization: `Bearer ${token}` }));

describe("a JWT", () => {
  it("is one of at least 60 bad ones, or it is let in", () => {
    expect(BAD_TOKENS.length).toBeGreaterThanOrEqual(60);
    expect(new Set(BAD_TOKENS.map(([name]) => name)).size).toBe(BAD_TOKENS.length);
  });

  it.each(BAD_TOKENS)("with %s is refused", async (_, make) => {
    const token = await make();
    expect(await ask(await createJwtAuthenticate({ ...BASE, publicKey: PEM }), token)).toBeUndefined();
  });

  it.each([
    ["says who it is, what for and for whom", claims(), { tenant: "acme", scopes: ["read", "run"] }],
    ["may be for several", claims({ aud: ["billing", AUDIENCE] }), {}],
    ["may be over for less than clocks differ", claims({ exp: seconds() - 10 }), {}],
    ["may begin in less than clocks differ", claims({ nbf: seconds() + 10 }), {}],
    ["may have a list of scopes", claims({ scope: ["admin", "openid"] }), { scopes: ["admin"] }],
    ["may have scopes of others", claims({ scope: "openid read reader" }), { scopes: ["read"] }],
    ["may have none", claims({ scope: 7 }), { scopes: [] }],
  ])("%s", async (_, payload, expected) => {
    const authenticate = await createJwtAuthenticate({ ...BASE, publicKey: PEM });
    expect(await ask(authenticate, await sign(payload))).toMatchObject({ id: `jwt:${ISSUER}:ann`, ...expected });
  });

  it("without a tenant is the runtime's own, unless one is demanded", async () => {
    const { tenant: _tenant, ...payload } = claims({ org: "acme" });
    const token = await sign(payload);
    const free = await createJwtAuthenticate({ ...BASE, publicKey: PEM });
    expect(await ask(free, token)).not.toHaveProperty("tenant");
    const strict = await createJwtAuthenticate({ ...BASE, publicKey: PEM, claims: { tenant: "tenant" } });
    expect(await ask(strict, token)).toBeUndefined();
    const renamed = await createJwtAuthenticate({ ...BASE, publicKey: PEM, claims: { tenant: "org" } });
    expect(await ask(renamed, token)).toMatchObject({ tenant: "acme" });
  });

  it("is taken from the header alone, and as a bearer", async () => {
    const authenticate = await createJwtAuthenticate({ ...BASE, publicKey: PEM });
    const token = await sign(claims());
    expect(await authenticate(new Headers({ authorization: `Basic ${token}` }))).toBeUndefined();
    expect(await authenticate(new Headers({ cookie: `token=${token}`, "x-api-key": token }))).toBeUndefined();
    expect(await authenticate(new Headers())).toBeUndefined();
  });

  it("opens the server for its tenant and its scopes", async () => {
    const authenticate = await createJwtAuthenticate({ ...BASE, publicKey: PEM });
    const { ask: get, runtime } = await openDemo({ authenticate });
    await runtime.forTenant("acme").start({ agent: "assistant", threadId: "t", input: "hello" });
    const headers = { authorization: `Bearer ${await sign(claims({ scope: "read" }))}` };
    expect((await (await get("/v1/threads", { headers })).json()).total).toBe(1);
    expect((await get("/metrics", { headers })).status).toBe(403);
    expect((await get("/v1/threads")).status).toBe(401);
  });
});

describe("what a JWT is checked with", () => {
  const jwk = OURS.publicKey.export({ format: "jwk" });
  const secret = { kty: "oct", k: Buffer.from("x".repeat(32)).toString("base64url") };
  it.each<readonly [string, object]>([
    ["no key", {}],
    ["two sources", { publicKey: PEM, jwksUrl: "https://issuer.example/keys" }],
    ["a shared secret's algorithm", { algorithm: "HS256", publicKey: PEM }],
    ["no algorithm", { algorithm: "none", publicKey: PEM }],
    ["what is no key", { publicKey: "hello" }],
    ["a shared secret", { publicKey: secret }],
    ["a private key", { publicKey: OURS.privateKey.export({ format: "jwk" }) }],
    ["a key of another kind", { algorithm: "ES256", publicKey: PEM }],
    ["no issuer", { issuer: "", publicKey: PEM }],
    ["no audience", { audience: "", publicKey: PEM }],
    ["keys that come unprotected", { jwksUrl: "http://issuer.example/keys" }],
    ["keys from a file", { jwksUrl: "file:///keys" }],
  ])("is not %s", async (_, more) => {
    // Options as somebody without types might give them.
    const options = { ...BASE, ...more } as unknown as JwtOptions;
    await expect(createJwtAuthenticate(options)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("may be a JWK, also of a curve", async () => {
    const authenticate = await createJwtAuthenticate({ ...BASE, publicKey: { ...jwk } });
    expect(await ask(authenticate, await sign(claims()))).toMatchObject({ tenant: "acme" });
    const curve = { ...CURVE.publicKey.export({ format: "jwk" }) };
    const other = await createJwtAuthenticate({ ...BASE, algorithm: "ES256", publicKey: curve });
    expect(await ask(other, await sign(claims(), { alg: "ES256" }, CURVE))).toMatchObject({ tenant: "acme" });
  });
});

/** An issuer that gives its keys, and counts how often. */
async function openIssuer(answer: () => { readonly status?: number; readonly body: string }) {
  let asked = 0;
  const http = createHttpServer((_, response) => {
    asked += 1;
    const { status = 200, body } = answer();
    response.writeHead(status, { "content-type": "application/json", location: "/elsewhere" }).end(body);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  // A listening TCP server has an address of this form.
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/keys`, count: () => asked };
}

const published = (kid: string, keys = OURS): object => ({
  ...keys.publicKey.export({ format: "jwk" }),
  kid,
  use: "sig",
});

describe("keys that an issuer publishes", () => {
  const good = (): { readonly body: string } => ({
    body: JSON.stringify({ keys: [published("main"), { kty: "oct", k: "c2VjcmV0", kid: "shared", alg: "HS256" }] }),
  });

  it("are asked for once", async () => {
    const issuer = await openIssuer(good);
    const authenticate = await createJwtAuthenticate({ ...BASE, jwksUrl: issuer.url });
    for (let round = 0; round < 5; round += 1) {
      expect(await ask(authenticate, await sign(claims(), { kid: "main" }))).toMatchObject({ tenant: "acme" });
    }
    expect(await ask(authenticate, await sign(claims()))).toMatchObject({ tenant: "acme" });
    // An unknown key does not cause a request for every token that names one.
    for (let round = 0; round < 5; round += 1) {
      expect(await ask(authenticate, await sign(claims(), { kid: `k${round}` }, THEIRS))).toBeUndefined();
    }
    expect(issuer.count()).toBe(1);
  });

  it.each(BAD_TOKENS)("let none in with %s", async (_, make) => {
    const issuer = await openIssuer(good);
    expect(await ask(await createJwtAuthenticate({ ...BASE, jwksUrl: issuer.url }), await make())).toBeUndefined();
  });

  it.each([
    ["an error", { status: 500, body: "{}" }],
    ["a redirect", { status: 302, body: "{}" }],
    ["no JSON", { body: "<html>" }],
    ["no list of keys", { body: "{}" }],
    ["far too much", { body: JSON.stringify({ keys: [published("main")], more: "x".repeat(300_000) }) }],
  ])("are unavailable after %s, which is not the caller's fault", async (_, answer) => {
    const issuer = await openIssuer(() => answer);
    const authenticate = await createJwtAuthenticate({ ...BASE, jwksUrl: issuer.url });
    const { ask: get } = await openDemo({ authenticate });
    const headers = { authorization: `Bearer ${await sign(claims(), { kid: "main" })}` };
    for (let round = 0; round < 3; round += 1) {
      const response = await get("/v1/threads", { headers });
      expect([response.status, await response.json()]).toEqual([
        503,
        { error: "unavailable: the issuer's keys cannot be had" },
      ]);
    }
    // Many tokens do not cause as many requests.
    expect(issuer.count()).toBe(1);
  });

  it("are unavailable when the issuer does not answer", async () => {
    const authenticate = await createJwtAuthenticate({ ...BASE, jwksUrl: "http://127.0.0.1:9/keys" });
    await expect(ask(authenticate, await sign(claims(), { kid: "main" }))).rejects.toMatchObject({ status: 503 });
  });
});

describe("several ways to say who one is", () => {
  it("are each enough, and one that fails does not shut the others", async () => {
    const { runtime } = await openDemo();
    const keys = createApiKeys(runtime);
    const { key } = await keys.create({ name: "k", scopes: ["read"] });
    const jwt = await createJwtAuthenticate({ ...BASE, publicKey: PEM });
    const broken: Authenticate = () => Promise.reject(new Error("down"));
    const both = anyOf(keys.authenticate, jwt);
    expect(await ask(both, key)).toMatchObject({ scopes: ["read"] });
    expect(await ask(both, await sign(claims()))).toMatchObject({ tenant: "acme" });
    expect(await ask(both, "nothing")).toBeUndefined();
    expect(await ask(anyOf(broken, keys.authenticate), key)).toMatchObject({ scopes: ["read"] });
    await expect(ask(anyOf(broken, keys.authenticate), "nothing")).rejects.toThrow("down");
  });
});
