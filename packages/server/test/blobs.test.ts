import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { listenDemo, openDemo } from "./support/open-demo.ts";

const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);
const sha256 = createHash("sha256").update(bytes).digest("hex");

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

const upload = (ask: Ask, content: Uint8Array<ArrayBuffer>, type: string): Promise<Response> =>
  ask("/v1/blobs", { method: "POST", headers: { "content-type": type }, body: content });

/** A body that is sent without saying how long it is. */
function trickle(parts: number, size: number): RequestInit {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1;
      if (sent > parts) controller.close();
      else controller.enqueue(new Uint8Array(size));
    },
  });
  // The types of the platform lack `duplex`, which it demands of a body that streams.
  return { method: "POST", body, duplex: "half" } as RequestInit;
}

async function openWith(type: string) {
  const { ask, ...demo } = await openDemo();
  await upload(ask, bytes, type);
  const get = (headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Response> =>
    ask(`/v1/blobs/${sha256}`, { headers, method });
  return { ...demo, ask, get };
}

describe("an upload", () => {
  it("is stored once, and says where it is", async () => {
    const { ask } = await openDemo();
    const response = await upload(ask, bytes, "image/png");
    const stored = {
      id: sha256,
      ref: `blob:${sha256}`,
      bytes: 1000,
      media_type: "image/png",
      sha256,
      url: `http://localhost/v1/blobs/${sha256}`,
    };
    expect([response.status, await response.json()]).toEqual([201, stored]);
    expect(await (await upload(ask, bytes, "image/png")).json()).toEqual(stored);
  });

  it("may be larger than a body of JSON, over a socket", async () => {
    const { server } = await openDemo();
    const { url } = await listenDemo(server);
    const ask: Ask = (path, init) => fetch(url + path, init);
    const large = new Uint8Array(5_000_000).fill(7);
    const stored = await (await upload(ask, large, "application/octet-stream")).json();
    const back = new Uint8Array(await (await ask(`/v1/blobs/${stored.id}`)).arrayBuffer());
    expect(Buffer.compare(back, large)).toBe(0);
    const streamed = await (await ask("/v1/blobs", trickle(100, 40_000))).json();
    expect(streamed).toMatchObject({ bytes: 4_000_000, media_type: "application/octet-stream" });
  });

  it.each([
    ["announced", (): RequestInit => ({ method: "POST", body: new Uint8Array(2_000) })],
    ["not announced", (): RequestInit => trickle(20, 100)],
  ])("that is too large is refused, %s", async (_, init) => {
    const { ask } = await openDemo({ maxBlobBytes: 1_500 });
    const response = await ask("/v1/blobs", init());
    expect([response.status, await response.json()]).toEqual([
      413,
      { error: "payload too large: a blob has at most 1500 bytes" },
    ]);
    expect((await ask("/v1/blobs", trickle(15, 100))).status).toBe(201);
  });

  it.each([
    ["nothing", { body: "" }, 400, "bad request: the body is empty; send the bytes of the blob"],
    [
      "what is no media type",
      { headers: { "content-type": "text/html\u0009;<x>" } },
      400,
      "bad request: content-type is not a media type",
    ],
    [
      "what is packed",
      { headers: { "content-encoding": "gzip" } },
      415,
      "unsupported media type: send the bytes without an encoding",
    ],
  ])("of %s is refused", async (_, init, status, error) => {
    const { ask } = await openDemo();
    const response = await ask("/v1/blobs", { method: "POST", body: "x", ...init });
    expect([response.status, await response.json()]).toEqual([status, { error }]);
  });
});

describe("a download", () => {
  it("has the bytes, their type, and nothing a browser could run", async () => {
    const { get } = await openWith("text/html; charset=utf-8");
    const response = await get();
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-length": "1000",
      "content-disposition": "attachment",
      "content-security-policy": expect.stringMatching(/^sandbox;/),
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      etag: `"${sha256}"`,
    });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  });

  it.each(["text/html\r\nx-evil: 1", "tex t", "text/plain; ü=1", ""])(
    "is of no type in particular when it was kept as %j",
    async (media_type) => {
      const { ask, runtime } = await openDemo();
      await runtime.blobs.put(bytes, { media_type });
      const response = await ask(`/v1/blobs/${sha256}`);
      expect([response.status, response.headers.get("content-type"), response.headers.get("x-evil")]).toEqual([
        200,
        "application/octet-stream",
        null,
      ]);
      expect(response.headers.get("content-disposition")).toBe("attachment");
    },
  );

  it.each([
    ["image/png", "inline"],
    ["image/svg+xml", "attachment"],
    ["application/xhtml+xml", "attachment"],
    ["video/mp4", "inline"],
    ["text/javascript", "attachment"],
  ])("of %s is for %s", async (type, disposition) => {
    const { get } = await openWith(type);
    expect((await get()).headers.get("content-disposition")).toBe(disposition);
  });

  it.each([
    ["bytes=0-9", 0, 9],
    ["bytes=990-", 990, 999],
    ["bytes=990-5000", 990, 999],
    ["bytes=-10", 990, 999],
    ["bytes=-5000", 0, 999],
    ["bytes=999-999", 999, 999],
  ])("of %s is that part", async (range, first, last) => {
    const { get } = await openWith("video/mp4");
    const response = await get({ range });
    expect([response.status, response.headers.get("content-range")]).toEqual([206, `bytes ${first}-${last}/1000`]);
    expect(response.headers.get("content-length")).toBe(String(last - first + 1));
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes.subarray(first, last + 1));
  });

  it.each(["bytes=1000-", "bytes=5000-6000", "bytes=-0"])("of %s is refused", async (range) => {
    const { get } = await openWith("video/mp4");
    const response = await get({ range });
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */1000"]);
    expect(await response.json()).toEqual({ error: "range not satisfiable: the blob has 1000 bytes" });
  });

  it.each(["bytes=0-1,5-6", "lines=1-2", "bytes=9-1", "bytes=-", "bytes=a-b"])("of %s is all of it", async (range) => {
    const { get } = await openWith("video/mp4");
    const response = await get({ range });
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 1000]);
  });

  it("is not sent to who has it, and a part only of what they have", async () => {
    const { get } = await openWith("image/png");
    for (const known of [`"${sha256}"`, `W/"${sha256}"`, `"x", "${sha256}"`, "*"]) {
      const response = await get({ "if-none-match": known });
      expect([response.status, await response.text(), response.headers.get("etag")]).toEqual([304, "", `"${sha256}"`]);
    }
    expect((await get({ "if-none-match": '"other"' })).status).toBe(200);
    expect((await get({ range: "bytes=0-1", "if-range": `"${sha256}"` })).status).toBe(206);
    expect((await get({ range: "bytes=0-1", "if-range": '"other"' })).status).toBe(200);
  });

  it("is asked about without being sent", async () => {
    const { get, server } = await openWith("image/png");
    const { url } = await listenDemo(server);
    for (const response of [await get({}, "HEAD"), await fetch(`${url}/v1/blobs/${sha256}`, { method: "HEAD" })]) {
      expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([
        200,
        "1000",
        "",
      ]);
    }
  });

  it("of what is not there is a 404, whatever it is called", async () => {
    const { ask } = await openDemo();
    for (const id of ["none", "..%2f..%2fetc%2fpasswd", "a".repeat(64)]) {
      const response = await ask(`/v1/blobs/${id}`);
      expect([response.status, await response.json()]).toEqual([
        404,
        { error: `blob not found: ${decodeURIComponent(id)}` },
      ]);
    }
  });
});

it("is never shown to another tenant", async () => {
  const { ask } = await openDemo({
    authenticate: async (headers) => ({ id: "p", scopes: ["admin"], tenant: headers.get("authorization") ?? "none" }),
  });
  await ask("/v1/blobs", { method: "POST", headers: { authorization: "owner" }, body: bytes });
  const status = async (authorization: string): Promise<number> =>
    (await ask(`/v1/blobs/${sha256}`, { headers: { authorization } })).status;
  expect([await status("owner"), await status("other")]).toEqual([200, 404]);
});
