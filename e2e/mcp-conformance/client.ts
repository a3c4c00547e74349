// The client that the conformance runner tests: an agent with the plugin `mcp` calls every tool of the server whose URL is given.
import { createRuntime, defineAgent, memory, scriptedModel } from "reprise";
import { mcp } from "reprise/plugins/mcp";

const CALL = "Call every tool.";
const url = process.argv.at(-1) ?? "";
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const registered =
  context.client_id === undefined ? {} : { clientId: context.client_id, clientSecret: context.client_secret };
const plugin = mcp({
  servers: {
    tested: {
      url,
      ...(process.argv.includes("modern") && { protocol: "modern" as const }),
      auth: {
        kind: "oauth",
        redirectUrl: "http://localhost:3000/callback",
        clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
        ...registered,
      },
    },
  },
});

/** Something that fits the schema of a tool. */
function argumentsFor({ properties = {} }: { readonly properties?: object }): Record<string, string | number> {
  const kinds = Object.entries(properties as Record<string, { type?: string }>);
  return Object.fromEntries(kinds.map(([name, { type }]) => [name, type === "string" ? "x" : 2]));
}

const model = scriptedModel(({ tools, messages }) => {
  const { role, content } = messages.at(-1) ?? {};
  if (role !== "user" || content !== CALL) return "Done.";
  return tools.map(({ id, parameters }) => ({ call: id, arguments: argumentsFor(parameters) }));
});
const runtime = await createRuntime({
  agents: [defineAgent({ id: "tester", model, plugins: [plugin] })],
  store: memory(),
});

/** Goes where a person would go to let us in, as often as the server asks. */
async function authorize(): Promise<void> {
  const address = plugin.status()[0]?.authorizationUrl;
  if (address === undefined) return;
  const answer = await fetch(address, { redirect: "manual" });
  await plugin.finishAuthorization("tested", answer.headers.get("location") ?? "");
}

await runtime.runToCompletion({ agent: "tester", input: "Connect." });
await authorize();
for (let round = 0; round < 3; round += 1) {
  const run = await runtime.start({ agent: "tester", input: CALL });
  await run.outcome();
  for (const { id } of await runtime.decisions.list({ runId: run.id }))
    await runtime.decisions.decide(id, { action: "approve" });
  await run.outcome();
  if (plugin.status()[0]?.authorizationUrl === undefined) break;
  await authorize().catch(() => undefined);
}
const [status] = plugin.status();
await runtime.close();
if (status?.state !== "ready") throw new Error(`${status?.state}: ${status?.lastError}`);
