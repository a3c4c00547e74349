import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, defineAgent, defineTool, scriptedModel, sqlite } from "reprise";
import { createServer } from "reprise/server";
import { listen } from "reprise/server/node";

// A run on the default store that is approved over HTTP and replayed, under whatever Node this is.
const folder = mkdtempSync(join(tmpdir(), "reprise-oldest-"));
const send = defineTool({ id: "send", description: "Sends.", needsApproval: true, execute: () => "sent" });
const model = scriptedModel([[{ call: "send" }], "It is sent."]);
const store = await sqlite(join(folder, "threads.db"));
const runtime = await createRuntime({ agents: [defineAgent({ id: "clerk", model, tools: [send] })], store });
const listening = await listen(createServer({ runtime }), { port: 0 });

const ask = (path: string, body?: object): Promise<Response> =>
  fetch(`${listening.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const messages = [{ role: "user", content: "Send it." }];
await (await ask("/v1/runs", { agentId: "clerk", runId: "run-1", messages })).text();
const [open] = await runtime.decisions.list();
console.log((await ask(`/v1/decisions/${open?.id}`, { action: "approve" })).status);
const outcome = await (await runtime.run("run-1")).outcome();
console.log(outcome.status === "done" && outcome.text, (await runtime.replay("run-1")).equal);

await listening.close();
await runtime.close();
await store.close();
rmSync(folder, { recursive: true });
