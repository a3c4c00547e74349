// The tools of an MCP server as tools of an agent. The server is a process that the plugin starts, and ends with the runtime.
import { fileURLToPath } from "node:url";
import { createRuntime, defineAgent, memory, scriptedModel } from "reprise";
import { mcp } from "reprise/plugins/mcp";

const weather = mcp({
  servers: { weather: { command: process.execPath, args: [fileURLToPath(new URL("server.ts", import.meta.url))] } },
});
const model = scriptedModel([
  [
    { call: "mcp__weather__forecast", arguments: { city: "Lisbon" } },
    { call: "mcp__weather__forecast", arguments: { city: "Atlantis" } },
  ],
  [{ call: "mcp__weather__report_wrong", arguments: { city: "Lisbon" } }],
  "24 degrees and clear.",
]);
const agent = defineAgent({ id: "reporter", model, plugins: [weather] });
const runtime = await createRuntime({ agents: [agent], store: memory() });

const run = await runtime.start({ agent: "reporter", input: "How is the weather in Lisbon?" });
for await (const event of run.events()) {
  if (event.type !== "tool_call_done") continue;
  const { data, message, metadata } = event.data.result;
  console.log(`${metadata["mcp.server"]}/${metadata["mcp.tool"]}:`, message ?? JSON.stringify(data));
  if (metadata["mcp.ui.resourceUri"] !== undefined) console.log("  shown by", metadata["mcp.ui.resourceUri"]);
}

const [server] = weather.status();
console.log(`${server?.server} is ${server?.state} and has ${server?.tools.join(", ")}.`);
for (const { id, class: kind, is_destructive } of model.requests[0]?.tools ?? [])
  console.log(`  ${id}: ${kind}, destructive ${is_destructive}`);

// The list of tools is a part of the recording: a replay needs no server.
await weather.close?.();
console.log("verified:", (await runtime.replay(run.id)).equal);
await runtime.close();
