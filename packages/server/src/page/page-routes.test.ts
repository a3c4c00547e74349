import { createRuntime, memory } from "reprise";
import { expect, it, onTestFinished } from "vitest";
import { createServer, type Server } from "../create-server.ts";

const PAGE = { path: "/", contentType: "text/html; charset=utf-8", content: "<!doctype html><title>Hi</title>" };

/** A server that refuses every credential and has a page. */
async function open(): Promise<Server> {
  const runtime = await createRuntime({ store: memory() });
  const server = createServer({ runtime, pages: [PAGE], authenticate: async () => undefined });
  onTestFinished(async () => {
    server.close();
    await runtime.close();
  });
  return server;
}

const get = (server: Server, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
  server.fetch(new Request("http://localhost/", { method, headers }));

it("serves a page without a credential, with a policy that allows nothing inline and nothing from elsewhere", async () => {
  const page = await get(await open());
  expect(page.status).toBe(200);
  expect(await page.text()).toBe(PAGE.content);
  expect(page.headers.get("content-type")).toBe(PAGE.contentType);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy.split("; ")).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-src 'self'",
      "frame-ancestors 'none'",
    ]),
  );
  expect(policy).not.toMatch(/unsafe|https?:/);
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
});

it("answers 304 to a browser that has the page already", async () => {
  const server = await open();
  const etag = (await get(server)).headers.get("etag") ?? "";
  expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
  const again = await get(server, { "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect((await get(server, { "if-none-match": '"another"' })).status).toBe(200);
  const head = await get(server, {}, "HEAD");
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

it("refuses another host and another origin for a page, as for every route", async () => {
  const server = await open();
  expect((await get(server, { host: "evil.example" })).status).toBe(403);
  expect((await get(server, { origin: "https://evil.example" })).status).toBe(403);
});

it("answers 404 at / when the server was given no page", async () => {
  const runtime = await createRuntime({ store: memory() });
  onTestFinished(() => runtime.close());
  expect((await get(createServer({ runtime }))).status).toBe(404);
});

it("serves a frame for pages of others that has no origin, loads nothing and is shown by this server alone", async () => {
  const runtime = await createRuntime({ store: memory() });
  const server = createServer({ runtime, pages: [{ ...PAGE, path: "/frame", isFrame: true }] });
  onTestFinished(async () => {
    server.close();
    await runtime.close();
  });
  const frame = await server.fetch(new Request("http://localhost/frame"));
  const policy = (frame.headers.get("content-security-policy") ?? "").split("; ");
  expect(policy).toEqual(
    expect.arrayContaining([
      "sandbox allow-scripts",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ]),
  );
  expect(policy.join()).not.toMatch(/allow-same-origin|connect-src|https?:/);
  expect(frame.headers.get("x-frame-options")).toBe("SAMEORIGIN");
});
