import { join } from "node:path";
import { createApiKeys, createServer } from "@reprise/server";
import { createRuntime, defineAgent, defineTool, scriptedModel, sqlite } from "reprise";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";

const grow = defineTool({ id: "grow", description: "Answers at length.", execute: () => "x".repeat(3_000) });
const agent = defineAgent({
  id: "assistant",
  // Long enough that its recording is kept as a blob.
  instructions: "Be brief. ".repeat(1_000),
  tools: [grow],
  model: scriptedModel([[{ call: "grow" }], "It is long."]),
});

/** A server on which each tenant may have 2,000 bytes of blobs. */
async function openServer() {
  const store = await sqlite(join(createTemporaryFolder(), "app.db"));
  const limits = { tenantBlobBytes: 2_000, maxOutputBytes: 1_000 };
  const runtime = await createRuntime({ agents: [agent], store, limits });
  const keys = createApiKeys(runtime);
  const server = createServer({ runtime, authenticate: keys.authenticate });
  onTestFinished(async () => {
    server.close();
    await runtime.close();
    await store.close();
  });
  const upload = async (tenant: string, bytes: number): Promise<Response> => {
    const { key } = await keys.create({ name: tenant, tenant, scopes: ["admin"] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/octet-stream" };
    const body = new Uint8Array(bytes).fill(bytes % 251);
    return server.fetch(new Request("http://localhost/v1/blobs", { method: "POST", headers, body }));
  };
  return { runtime, store, upload };
}

describe("issue 14.17: a tenant has a blob quota", () => {
  it("uploads beyond it are refused with how much there is, and other tenants are unaffected", async () => {
    const { upload, store } = await openServer();
    expect((await upload("one", 1_500)).status).toBe(201);
    const refused = await upload("one", 501);
    expect([refused.status, await refused.json()]).toEqual([
      413,
      { error: expect.stringContaining("the tenant has 1500 of 2000 bytes of blobs") },
    ]);
    expect((await upload("one", 1_500)).ok).toBe(true);
    expect((await upload("one", 500)).status).toBe(201);
    expect((await upload("two", 2_000)).status).toBe(201);
    expect([await store.blobs.usage("one"), await store.blobs.usage("two")]).toEqual([2_000, 2_000]);
  });

  it("a run continues when its recording needs a blob, and of a large output only the preview is kept", async () => {
    const { runtime } = await openServer();
    await runtime.blobs.put(new Uint8Array(1_999));
    const outcome = await runtime.runToCompletion({ agent: "assistant", threadId: "t1", input: "Grow." });
    expect(outcome).toMatchObject({ status: "done", text: "It is long." });
    const { messages } = await runtime.threads.messages("t1");
    const [result] = messages.filter(({ role }) => role === "tool");
    expect(JSON.stringify(result)).toContain('\\"truncated\\":true,\\"bytes\\":3002');
    expect(JSON.stringify(result)).not.toContain("blob:");
  });
});
