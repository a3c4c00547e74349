import { startModelServer } from "@reprise/testkit/model-server";
import { createRuntime, defineAgent, memory, openaiCompatible } from "reprise";
import { createEgress } from "reprise/advanced";
import { describe, expect, it, onTestFinished } from "vitest";

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
const PICTURE = { body: PNG, headers: { "content-type": "image/png" } };

/** A server of pictures that says they lie somewhere, and a run that asks it for one. */
async function paint(addressOf: (own: string) => string, file: object = PICTURE) {
  const studio = await startModelServer((request) =>
    request.method === "GET" ? file : { body: { data: [{ url: addressOf(`http://${request.headers.host}`) }] } },
  );
  onTestFinished(() => studio.close());
  const runtime = await createRuntime({
    providers: [openaiCompatible({ id: "studio", baseUrl: `${studio.url}/v1`, apiKey: "secret" })],
    models: [
      { id: "painter", provider: "studio", model: "m", surface: "generative", modalities: { output: ["image"] } },
    ],
    agents: [defineAgent({ id: "artist", model: "painter" })],
    store: memory(),
  });
  onTestFinished(() => runtime.close());
  const outcome = await runtime.runToCompletion({ agent: "artist", threadId: "t1", input: "A fox." });
  return { outcome, studio };
}

/** Something in the private network that must not be read. */
async function openPrivateServer() {
  const server = await startModelServer(() => PICTURE);
  onTestFinished(() => server.close());
  return server;
}

describe("issue 14.43: an image model cannot make the server read private addresses", () => {
  it.each<readonly [string, (port: string) => string]>([
    ["an IP address", (port) => `http://127.0.0.1:${port}/files/secret`],
    ["a name", (port) => `http://localhost:${port}/files/secret`],
    ["a number", (port) => `http://2130706433:${port}/files/secret`],
    ["a short form", (port) => `http://127.1:${port}/files/secret`],
    ["an address within IPv6", (port) => `http://[::ffff:127.0.0.1]:${port}/files/secret`],
    ["a user name before it", (port) => `http://example.com@127.0.0.1:${port}/files/secret`],
  ])("by %s", async (_, addressOf) => {
    const hidden = await openPrivateServer();
    const { outcome } = await paint(() => addressOf(new URL(hidden.url).port));
    expect(outcome).toMatchObject({ status: "failed" });
    expect(hidden.requests).toEqual([]);
  });

  it("by a redirect of its own", async () => {
    const hidden = await openPrivateServer();
    const redirect = { status: 302, headers: { location: `${hidden.url}/files/secret` } };
    const { outcome } = await paint((own) => `${own}/files/a`, redirect);
    expect(outcome).toMatchObject({ status: "failed" });
    expect(hidden.requests).toEqual([]);
  });

  it("though its own address, which the operator configured, may be private", async () => {
    const { outcome, studio } = await paint((own) => `${own}/files/a`);
    expect(outcome).toMatchObject({ status: "done" });
    expect(studio.requests[1]).toMatchObject({ method: "GET", path: "/files/a" });
    expect(studio.requests[1]?.headers).not.toHaveProperty("authorization");
  });

  it.each([
    ["a page", { body: "<html></html>", headers: { "content-type": "text/html" } }],
    [
      "a file of no type that is no picture",
      { body: "root:x:0:0", headers: { "content-type": "application/octet-stream" } },
    ],
    ["a picture without end", { pieces: forEver(), headers: { "content-type": "image/png" } }],
  ])("and what lies there is no picture when it is %s", async (_, file) => {
    const { outcome } = await paint((own) => `${own}/files/a`, file);
    expect(outcome).toMatchObject({ status: "failed" });
  });

  it("and neither can its answer be without end", async () => {
    const studio = await startModelServer(() => ({ pieces: forEver() }));
    onTestFinished(() => studio.close());
    const model = openaiCompatible({ id: "studio", baseUrl: `${studio.url}/v1` }).media("m");
    const request = { prompt: "A fox.", modality: "image", options: {}, signal: new AbortController().signal } as const;
    await expect(model.generate(request)).rejects.toMatchObject({ kind: "answer_too_large" });
  });
});

function* forEver(): Generator<string> {
  for (;;) yield "x".repeat(256 * 1024);
}

describe("the egress guard", () => {
  const signal = new AbortController().signal;
  it.each([
    "file:///etc/passwd",
    "ftp://example.com/",
    "data:,x",
    "no address",
    "http://169.254.169.254/latest",
    "http://[fd00::1]/",
  ])("refuses %s", async (url) => {
    await expect(createEgress().download(url, { maxBytes: 1, signal })).rejects.toMatchObject({
      code: "ADDRESS_REFUSED",
    });
  });

  it("does not take a name for the place that was configured: it may come to mean another one", async () => {
    const server = await openPrivateServer();
    const named = server.url.replace("127.0.0.1", "localhost.localdomain");
    const download = createEgress().download(`${named}/files/a`, { maxBytes: 100, signal, configured: named });
    await expect(download).rejects.toThrow();
    expect(server.requests).toEqual([]);
  });
});
