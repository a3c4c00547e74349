import { join } from "node:path";
import { createServer, type Principal, type ServerOptions } from "@reprise/server";
import { configSchema } from "@reprise/server/config";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkAnswer } from "./support/check-answers.ts";
import { BASE, type OpenLive, openLive, SECRET_KEY } from "./support/open-live.ts";

interface Asking extends OpenLive {
  ask(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

async function openServer(options: Partial<ServerOptions> = {}): Promise<Asking> {
  const opened = await openLive(BASE, { secretKey: SECRET_KEY });
  const server = createServer({ runtime: opened.runtime, config: opened.live, ...options });
  onTestFinished(() => server.close());
  const ask: Asking["ask"] = async (method, path, body, headers = {}) => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const request = new Request(`http://localhost${path}`, { method, headers: { ...type, ...headers }, ...content });
    const response = await server.fetch(request);
    await checkAnswer(method, path, response, body);
    return response;
  };
  return { ...opened, ask };
}

/** Compares an answer, status, ETag and body, with what it was when it was last looked at. */
async function expectGolden(name: string, response: Response): Promise<void> {
  const text = await response.text();
  const body = text === "" ? "" : `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  const head = [response.status, response.headers.get("etag"), response.headers.get("x-reprise-error")];
  const file = join(import.meta.dirname, "golden/config", `${name}.txt`);
  await expect(`${head.filter((part) => part !== null).join(" ")}\n${body}`).toMatchFileSnapshot(file);
}

it("answers as it did when it was last looked at", async () => {
  const { ask } = await openServer();
  await expectGolden("whole", await ask("GET", "/v1/config"));
  await expectGolden("agents", await ask("GET", "/v1/config/agents"));
  await expectGolden("provider", await ask("GET", "/v1/config/providers/main"));
  await expectGolden("missing", await ask("GET", "/v1/config/models/none"));
  const writer = { model: "fast", system_prompt: "Write." };
  await expectGolden("put", await ask("PUT", "/v1/config/agents/writer", writer, { "if-match": '"0"' }));
  await expectGolden("stored", await ask("GET", "/v1/config/agents/writer"));
  await expectGolden("conflict", await ask("PUT", "/v1/config/agents/writer", writer, { "if-match": '"99"' }));
  await expectGolden("wrong", await ask("PUT", "/v1/config/agents/writer", { model: "fsat", max_rounds: "many" }));
  await expectGolden("unknown-name", await ask("PUT", "/v1/config/models/other", { provider: "mian", model: "x" }));
  await expectGolden("changed", await ask("GET", "/v1/config"));
  await expectGolden("from-the-file", await ask("DELETE", "/v1/config/agents/assistant"));
  await expectGolden("deleted", await ask("DELETE", "/v1/config/agents/writer"));
  await expectGolden("gone", await ask("DELETE", "/v1/config/agents/writer"));
  const draft = { agents: [{ id: "a", model: "gpt" }], stoer: {} };
  await expectGolden("validate", await ask("POST", "/v1/config/validate", draft));
  await expectGolden("validate-names", await ask("POST", "/v1/config/validate", { agents: draft.agents }));
  await expectGolden("validate-right", await ask("POST", "/v1/config/validate", {}));
});

it("gives the schema", async () => {
  const { ask } = await openServer();
  const response = await ask("GET", "/v1/config/schema");
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/schema+json"]);
  expect(await response.json()).toEqual(configSchema());
});

it("changes what the next run is made of", async () => {
  const { ask, says, runtime } = await openServer();
  const { revision } = await (
    await ask("PUT", "/v1/config/agents/assistant", { model: "fast", instructions: "Now." })
  ).json();
  expect(await says("assistant")).toBe("main/one: Now.");
  const [listed] = (await (await ask("GET", "/v1/agents")).json()).items;
  expect(listed).toEqual(JSON.parse(JSON.stringify(runtime.agents()[0])));
  const deleted = await ask("DELETE", "/v1/config/agents/assistant", undefined, { "if-match": `"${revision}"` });
  expect(deleted.status).toBe(204);
  expect(await says("assistant")).toBe("main/one: File.");
});

it("takes ids as they are", async () => {
  const { ask } = await openServer();
  const id = "team/größe 1%";
  const path = `/v1/config/models/${encodeURIComponent(id)}`;
  expect((await ask("PUT", path, { provider: "main", model: "x" })).status).toBe(200);
  expect(await (await ask("GET", path)).json()).toMatchObject({ id, source: "stored" });
});

it.each([
  ["no JSON", { body: "{" }, 400],
  ["a list", { body: "[]" }, 400],
  ["nothing", {}, 400],
  ["an ETag of nobody", { body: "{}", headers: { "if-match": "*" } }, 400],
  ["more than a document holds", { body: JSON.stringify({ model: "fast", system_prompt: "x".repeat(300_000) }) }, 400],
])("refuses a body that is %s", async (_, { body, headers = {} }: { body?: string; headers?: object }, status) => {
  const { runtime, live } = await openLive();
  const server = createServer({ runtime, config: live });
  onTestFinished(() => server.close());
  const init = { method: "PUT", headers: { "content-type": "application/json", ...headers }, ...(body && { body }) };
  const response = await server.fetch(new Request("http://localhost/v1/config/agents/a", init));
  expect([response.status, Object.keys(await response.json())]).toEqual([status, ["error"]]);
});

it("keeps the last changes of an entry, with who made them, and shows no secret of them", async () => {
  const { ask, runtime, live } = await openServer({ authenticate: async () => ({ id: "ann", scopes: ["admin"] }) });
  const path = "/v1/config/providers/main";
  const history = async () => (await (await ask("GET", `${path}/history`)).json()).items;
  expect(await history()).toEqual([]);
  const first = await (await ask("PUT", path, { auth: { kind: "token", value: "planted-one" } })).json();
  await ask("PUT", path, { auth: { kind: "token", value: "planted-two" }, headers: { "x-a": "planted" } });
  await ask("PUT", path, { adapter_kind: 7 });
  await ask("DELETE", path);
  const changes = await history();
  expect(changes).toMatchObject([
    { action: "deleted", by: "ann", revision: changes[1].revision },
    { action: "stored", by: "ann", body: { auth: { kind: "token" } } },
    { action: "stored", by: "ann", revision: first.revision, body: { auth: { kind: "token" } } },
  ]);
  expect(changes).toHaveLength(3);
  expect(JSON.stringify(changes)).not.toContain("planted");
  const { items } = await runtime.documents.listDocuments({ kind: "config.history.providers" });
  expect(JSON.stringify(items)).not.toContain("planted");
  for (let change = 0; change < 25; change += 1) await live.put("models", "fast", { provider: "main", model: "x" });
  expect((await (await ask("GET", "/v1/config/models/fast/history")).json()).items).toHaveLength(20);
  expect((await ask("GET", "/v1/config/models/none/history")).status).toBe(404);
});

it("keeps the history of entries that nearly fill a document", async () => {
  const { live } = await openServer();
  const prompt = "x".repeat(100_000);
  for (const end of ["a", "b", "c"])
    await live.put("agents", "assistant", { model: "fast", system_prompt: prompt + end });
  const changes = await live.history("agents", "assistant");
  expect(changes.map(({ body }) => JSON.stringify(body).includes(`${prompt}c`))).toEqual([true, false]);
});

describe("who may", () => {
  const asPrincipal = (principal: Principal) => openServer({ authenticate: async () => principal });

  it.each(["read", "run", "decide"] as const)("%s may not", async (scope) => {
    const { ask } = await asPrincipal({ id: "p", scopes: [scope] });
    for (const [method, path] of [
      ["GET", "/v1/config"],
      ["GET", "/v1/config/agents"],
      ["PUT", "/v1/config/agents/a"],
    ] as const) {
      expect((await ask(method, path)).status).toBe(403);
    }
  });

  it("an administrator of another tenant may neither look nor change nor try", async () => {
    const { ask, live } = await asPrincipal({ id: "p", scopes: ["admin"], tenant: "acme" });
    const before = await live.show();
    const asked = [
      await ask("GET", "/v1/config"),
      await ask("GET", "/v1/config/schema"),
      await ask("GET", "/v1/config/providers/main"),
      await ask("GET", "/v1/config/models"),
      await ask("PUT", "/v1/config/agents/assistant", { model: "fast" }),
      await ask("DELETE", "/v1/config/agents/assistant"),
      await ask("POST", "/v1/config/validate", {}),
    ];
    const words = { error: "forbidden: the configuration belongs to the server's own tenant" };
    for (const response of asked) expect([response.status, await response.json()]).toEqual([403, words]);
    expect(await live.show()).toEqual(before);
    // Nor what is counted of all tenants together.
    expect((await ask("GET", "/metrics")).status).toBe(403);
  });

  it("one whose credential names the server's own tenant may", async () => {
    const { ask } = await asPrincipal({ id: "p", scopes: ["admin"], tenant: "default" });
    expect((await ask("GET", "/v1/config")).status).toBe(200);
  });

  it("is refused to all callers where the configuration is not enabled", async () => {
    const { runtime } = await openLive();
    const server = createServer({ runtime });
    onTestFinished(() => server.close());
    const response = await server.fetch(new Request("http://localhost/v1/config"));
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: "not found: configuration is not enabled" },
    ]);
  });
});

it("says no secret on any way, wrong ways included", async () => {
  const { ask, problems } = await openServer();
  const answers = [
    await ask("GET", "/v1/config"),
    await ask("GET", "/v1/config/providers"),
    await ask("GET", "/v1/config/providers/main"),
    await ask("PUT", "/v1/config/providers/x", {
      auth: { kind: "token", value: "planted-put" },
      headers: { a: "planted-b" },
    }),
    await ask("PUT", "/v1/config/providers/y", {
      adapter_kind: "nonsense",
      auth: { kind: "token", value: "planted-key" },
    }),
    await ask("PUT", "/v1/config/providers/y", {
      adapter_kind: "broken",
      auth: { kind: "token", value: "planted-key" },
    }),
    await ask("PUT", "/v1/config/providers/z", { auth: { kind: "planted-kind" } }),
    await ask("PUT", "/v1/config/providers/z", { auth: "planted-text", endpoint: "planted-endpoint" }),
    await ask("POST", "/v1/config/validate", {
      providers: { z: { auth: { kind: "token", value: ["planted-list"] } } },
    }),
    await ask("GET", "/v1/config"),
  ];
  const heard = await Promise.all(answers.map((response) => response.text()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 422, 422, 422, 422, 200, 200]);
  expect([...heard, ...problems.map(String)].join("\n")).not.toContain("planted");
});
