// The client that the conformance runner tests: an agent with the plugin `mcp` calls every tool of the server whose URL is given.
import { createRuntime, defineAgent, type Json, type JsonObject, memory, scriptedModel } from "reprise";
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
      // The runner starts all scenarios at once, so that each is slow.
      connectTimeoutMs: 60_000,
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

/** A tool as the model sees it. */
interface Listed {
  readonly id: string;
  readonly parameters: JsonObject;
}

/** What the runner says about the calls of a tool, or something that fits its schema. */
function argumentsFor(
  { id, parameters: { properties = {} } }: Listed,
  [first]: readonly Listed[],
): Record<string, Json> {
  const told = (context.toolCalls ?? []).find(({ name }: { name: string }) => id === `mcp__tested__${name}`);
  // Null fits none of the schemas, and a call with it would not reach the server: the model leaves the argument out.
  if (told !== undefined)
    return Object.fromEntries(Object.entries<Json>(told.arguments).filter(([, value]) => value !== null));
  const kinds = Object.entries(properties as Record<string, { type?: string }>);
  // The only objects that are asked for are schemas of tools, as they arrived here.
  const fill = (type = ""): Json => (type === "object" ? (first?.parameters ?? {}) : type === "string" ? "x" : 2);
  return Object.fromEntries(kinds.map(([name, { type }]) => [name, fill(type)]));
}

const model = scriptedModel(({ tools, messages }) => {
  const { role, content } = messages.at(-1) ?? {};
  if (role !== "user" || content !== CALL) return "Done.";
  return tools.map((tool) => ({ call: tool.id, arguments: argumentsFor(tool, tools) }));
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
await authorize().catch(() => undefined);
for (let round = 0; round < 2; round += 1) {
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
