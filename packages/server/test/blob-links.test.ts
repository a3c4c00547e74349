import { createRuntime, defineAgent, scriptedModel, sqlite } from "reprise";
import { describe, expect, it, onTestFinished } from "vitest";
import { s3 } from "../../stores/src/s3/index.ts";
import { useS3 } from "../../stores/test/s3/use-s3.ts";
import { makeStoreFolder } from "../../stores/test/support/temporary-store.ts";
import { createServer } from "../src/index.ts";

const service = useS3();

async function open(blobLinkSeconds?: number) {
  const { file, remove } = makeStoreFolder();
  const store = await sqlite(file, { blobs: s3(service().options({ inlineBytes: 100 })) });
  const runtime = await createRuntime({
    agents: [defineAgent({ id: "default", model: scriptedModel(() => "Hello!") })],
    store,
  });
  const server = createServer({ runtime, ...(blobLinkSeconds !== undefined && { blobLinkSeconds }) });
  onTestFinished(async () => {
    server.close();
    await runtime.close();
    await store.close();
    remove();
  });
  const ask = (path: string, init?: RequestInit): Promise<Response> =>
    server.fetch(new Request(`http://localhost${path}`, init));
  const upload = async (content: Uint8Array<ArrayBuffer>, type: string): Promise<string> => {
    const answer = await ask("/v1/blobs", { method: "POST", headers: { "content-type": type }, body: content });
    return `/v1/blobs/${(await answer.json()).id}`;
  };
  return { ask, upload };
}

describe("files in an object store", () => {
  const content = new Uint8Array(200_000).fill(3);

  it("are read there by a link of a short life, and keep their type and manner", async () => {
    const { ask, upload } = await open(60);
    const path = await upload(content, "text/html");
    const answer = await ask(path);
    expect([answer.status, answer.headers.get("cache-control"), await answer.text()]).toEqual([302, "no-store", ""]);
    const location = new URL(answer.headers.get("location") ?? "");
    expect([location.origin, location.searchParams.get("X-Amz-Expires")]).toEqual([service().endpoint, "60"]);
    const there = await fetch(location);
    expect(Buffer.compare(new Uint8Array(await there.arrayBuffer()), content)).toBe(0);
    // A page from outside is for the disk, there as here.
    expect([there.headers.get("content-type"), there.headers.get("content-disposition")]).toEqual([
      "text/html",
      "attachment",
    ]);
    const part = await fetch(location, { headers: { range: "bytes=5-9" } });
    expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 5]);
  });

  it("are sent from here when they are small, when only their head is asked for, and when they are known", async () => {
    const { ask, upload } = await open(60);
    const small = await upload(new Uint8Array(100), "image/png");
    expect((await ask(small)).status).toBe(200);
    const large = await upload(content, "image/png");
    const head = await ask(large, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "200000"]);
    const etag = head.headers.get("etag") ?? "";
    expect((await ask(large, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await ask(`/v1/blobs/${"0".repeat(64)}`)).status).toBe(404);
  });

  it("come through the server unless links are wanted", async () => {
    const { ask, upload } = await open();
    const path = await upload(content, "image/png");
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(Buffer.compare(new Uint8Array(await answer.arrayBuffer()), content)).toBe(0);
    expect((await ask(path, { headers: { range: "bytes=0-0" } })).status).toBe(206);
  });
});
