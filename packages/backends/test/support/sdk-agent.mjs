// An agent written with the official SDK. The words of a prompt say what it does. It keeps its sessions in the folder it works in.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { agent, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

const FILE = join(process.cwd(), "sessions.json");
const sessions = existsSync(FILE) ? JSON.parse(readFileSync(FILE, "utf8")) : {};
const keep = () => writeFileSync(FILE, JSON.stringify(sessions));
const cancelled = new Set();
const note = (text) => appendFileSync(join(process.cwd(), "did.txt"), `${text}\n`);
const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "always", name: "Always", kind: "allow_always" },
  { optionId: "no", name: "No", kind: "reject_once" },
];

async function work({ sessionId, prompt }, client) {
  const update = (body) => client.notify(methods.client.session.update, { sessionId, update: body });
  const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  const said = prompt.map((block) => block.text ?? "").join(" ");
  const words = said.includes("Continue with the task") ? sessions[sessionId].at(-1) : said;
  sessions[sessionId].push(words);
  keep();
  if (words.includes("die")) {
    note("died");
    process.exit(3);
  }
  if (words.includes("slow")) {
    note("waits");
    while (!cancelled.has(sessionId)) await sleep(10);
    note("cancelled");
    return "cancelled";
  }
  if (words.includes("shout")) for (let index = 0; index < 100; index += 1) await say("x".repeat(1_000));
  if (words.includes("environment")) await say(JSON.stringify({ cwd: process.cwd(), names: Object.keys(process.env) }));
  if (words.includes("form")) {
    const requestedSchema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    const request = { mode: "form", sessionId, message: "Which city?", requestedSchema };
    const answer = await client.request(methods.client.elicitation.create, request);
    await say(`The answer is ${JSON.stringify(answer)}.`);
  }
  for (const name of ["edit", "remove"].filter((each) => words.includes(each))) {
    await update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: `I think of ${name}.` } });
    const call = { toolCallId: `${name}-${sessions[sessionId].length}`, title: `${name} a.txt`, kind: "edit" };
    await update({ sessionUpdate: "tool_call", ...call, name, rawInput: { path: "a.txt" }, status: "pending" });
    const request = { sessionId, toolCall: { ...call, rawInput: { path: "a.txt" } }, options: OPTIONS };
    const { outcome } = await client.request(methods.client.session.requestPermission, request);
    const isAllowed = outcome.outcome === "selected" && outcome.optionId !== "no";
    if (isAllowed) note(name);
    const diff = { type: "diff", path: "/w/a.txt", oldText: "one", newText: "two" };
    await update({
      sessionUpdate: "tool_call_update",
      toolCallId: call.toolCallId,
      status: isAllowed ? "completed" : "failed",
      content: isAllowed ? [diff] : [],
      locations: [{ path: "/w/a.txt", line: 1 }],
    });
    await say(isAllowed ? `${name} is done. ` : `${name} was refused. `);
  }
  await say(`Prompts of this session: ${sessions[sessionId].length}.`);
  return "end_turn";
}

agent({ name: "sdk-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { loadSession: process.env.NO_LOAD === undefined },
  }))
  .onRequest(methods.agent.session.new, () => {
    const sessionId = `s${Object.keys(sessions).length + 1}`;
    sessions[sessionId] = [];
    keep();
    return { sessionId };
  })
  .onRequest(methods.agent.session.load, async ({ params: { sessionId }, client }) => {
    if (sessions[sessionId] === undefined) throw RequestError.resourceNotFound(sessionId);
    for (const text of sessions[sessionId]) {
      const update = { sessionUpdate: "user_message_chunk", content: { type: "text", text } };
      await client.notify(methods.client.session.update, { sessionId, update });
    }
    const old = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "OLD TEXT" } };
    await client.notify(methods.client.session.update, { sessionId, update: old });
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => ({ stopReason: await work(params, client) }))
  .onNotification(methods.agent.session.cancel, ({ params }) => void cancelled.add(params.sessionId))
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
