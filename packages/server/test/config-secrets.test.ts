import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "@reprise/server";
import { sqlite } from "reprise";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";
import { BASE, openLive, SECRET_KEY } from "./support/open-live.ts";

const SECRETS = ["planted-token-value", "planted-header-value", "planted-password"];
const PROVIDER = {
  endpoint: "https://user:planted-password@models.example/v1",
  auth: { kind: "token", value: "planted-token-value" },
  headers: { "x-team": "planted-header-value" },
};

/** What the file names may be named over HTTP, for the same place. */
const NAMED = { endpoint: "http://127.0.0.1:1/v1", auth: { kind: "env", name: "GOOD_KEY" } };
const FILE = { ...BASE, providers: { ...BASE.providers, named: NAMED } };

/** A server whose configuration is stored in a SQLite file. */
async function openOn(folder: string, secretKey?: string) {
  const store = await sqlite(join(folder, "config.db"));
  const opened = await openLive(FILE, { store, ...(secretKey !== undefined && { secretKey }) });
  const server = createServer({ runtime: opened.runtime, config: opened.live });
  const put = async (id: string, body: object): Promise<{ readonly status: number; readonly text: string }> => {
    const headers = { "content-type": "application/json" };
    const path = `http://localhost/v1/config/providers/${id}`;
    const request = new Request(path, { method: "PUT", headers, body: JSON.stringify(body) });
    const response = await server.fetch(request);
    return { status: response.status, text: await response.text() };
  };
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    opened.live.close();
    server.close();
    await opened.runtime.close();
    await store.close();
  };
  onTestFinished(close);
  return { ...opened, put, close };
}

/** Which secrets stand in the files of a folder as they are. */
function secretsInFiles(folder: string): readonly string[] {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
  return SECRETS.filter((secret) => files.some((text) => text.includes(secret)));
}

describe("issue 14.40: provider secrets stored over HTTP", () => {
  it("are refused without a key, and the answer names the remedy", async () => {
    const folder = createTemporaryFolder();
    const { put, live } = await openOn(folder);
    for (const part of [{ auth: PROVIDER.auth }, { headers: PROVIDER.headers }, { endpoint: PROVIDER.endpoint }]) {
      const { status, text } = await put("third", part);
      expect([status, text]).toEqual([422, expect.stringContaining("REPRISE_SECRET_KEY")]);
    }
    expect(await put("third", NAMED)).toMatchObject({ status: 200 });
    expect(await live.get("providers", "third")).toMatchObject({ source: "stored" });
    expect(secretsInFiles(folder)).toEqual([]);
  });

  it("are sealed with the key, and work after a restart with it", async () => {
    const folder = createTemporaryFolder();
    const first = await openOn(folder, SECRET_KEY);
    expect(await first.put("third", PROVIDER)).toMatchObject({ status: 200 });
    expect(secretsInFiles(folder)).toEqual([]);
    await first.close();
    expect(secretsInFiles(folder)).toEqual([]);
    const { ports } = await openOn(folder, SECRET_KEY);
    expect(ports.made.find(({ id }) => id === "third")?.settings).toMatchObject({
      apiKey: "planted-token-value",
      endpoint: PROVIDER.endpoint,
      headers: PROVIDER.headers,
    });
  });

  it.each([
    ["another key", btoa("another key of exactly 32 bytes!"), "sealed with another key"],
    ["no key", undefined, "is sealed, and this server has no key"],
  ])("are left out and reported by a server with %s, which can store them anew", async (_, key, message) => {
    const folder = createTemporaryFolder();
    const first = await openOn(folder, SECRET_KEY);
    await first.put("third", PROVIDER);
    await first.close();
    const { live, problems, put } = await openOn(folder, key);
    expect(problems.map(String).join("\n")).toContain(message);
    const [entry] = (await live.show()).left_out;
    expect(entry).toMatchObject({ kind: "providers", id: "third", body: {} });
    expect(await put("third", NAMED)).toMatchObject({ status: 200 });
    expect((await live.show()).left_out).toEqual([]);
  });

  it("open under their own name only", async () => {
    const folder = createTemporaryFolder();
    const { put, runtime, live } = await openOn(folder, SECRET_KEY);
    await put("third", PROVIDER);
    const sealed = await runtime.documents.loadDocument("config.providers", "third");
    await runtime.documents.saveDocument({ kind: "config.providers", id: "moved", body: sealed?.body ?? {} }, 0);
    await put("fourth", NAMED);
    expect((await live.show()).left_out).toMatchObject([{ id: "moved" }]);
  });

  it.each(["short", btoa("sixteen bytes!!!"), ""])("need a key of 32 bytes, not %j", async (key) => {
    await expect(openLive(BASE, { secretKey: key })).rejects.toThrow("must be 32 bytes in base64");
  });
});
