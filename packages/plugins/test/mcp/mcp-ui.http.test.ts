import { join } from "node:path";
import { mcp } from "@reprise/plugins/mcp";
import { createServer } from "@reprise/server";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openMcp, serveFixture } from "./open-mcp.ts";

const PAGE = {
  "mcp.ui.resourceUri": "ui://fixture/picture",
  "mcp.ui.content": "<p>A picture</p>",
  "mcp.ui.mimeType": "text/html;profile=mcp-app",
};

it("a page that shows a result is kept by the store, and served in events, messages and the history of a chat", async () => {
  const file = join(createTemporaryFolder(), "app.db");
  const options = { servers: { fixture: { url: await serveFixture() } } };
  const first = await openSqliteStore({ file });
  const { runtime } = await openMcp({
    script: [[{ call: "mcp__fixture__picture" }], "done"],
    options,
    world: { store: first, blobs: first.blobs },
  });
  const { run } = await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
  expect(await runtime.replay(run?.run_id ?? "")).toMatchObject({ equal: true });
  await runtime.close();

  // Another process, in which the MCP server was never asked.
  const store = await openSqliteStore({ file });
  const later = await openMcp({ plugin: mcp(), world: { store, blobs: store.blobs } });
  const server = createServer({ runtime: later.runtime });
  onTestFinished(() => server.close());
  const read = async (path: string): Promise<string> =>
    (await server.fetch(new Request(`http://localhost${path}`))).text();
  const held = JSON.stringify(PAGE).slice(1, -1);
  expect(await read(`/v1/runs/${run?.run_id}/events`)).toContain(held);
  expect(await read("/v1/threads/t1/messages")).toContain(held);
  expect(await read("/v1/ai-sdk/threads/t1/messages")).toContain(held);
});
