// Starts a run that calls a tool of an MCP server, says when the run waits, and stays until it is killed.
import { scriptedModel } from "@reprise/models";
import { createNodeEnv } from "@reprise/node";
import { mcp } from "@reprise/plugins/mcp";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";

const [file = "", url = "", tool = ""] = process.argv.slice(2);
const store = await openSqliteStore({ file });
const model = scriptedModel([[{ call: `mcp__other__${tool}`, arguments: { greeting: "Hello" } }], "done"]);
const plugin = mcp({ servers: { other: { url, protocol: "modern" } } });
const runtime = await createRuntime({
  agents: [defineAgent({ id: "agent", model, plugins: [plugin] })],
  env: createNodeEnv(),
  store,
  blobs: store.blobs,
  instanceId: "one",
});
const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
while ((await run.record())?.status !== "waiting") await new Promise((resolve) => setTimeout(resolve, 20));
process.stdout.write(run.id);
setInterval(() => undefined, 1_000);
