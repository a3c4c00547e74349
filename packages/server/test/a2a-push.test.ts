import { createHash } from "node:crypto";
import { scriptedModel } from "@reprise/models";
import { createEgress, createNodeEnv } from "@reprise/node";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { createServer } from "@reprise/server";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { compactVerify, createLocalJWKSet } from "jose";
import { expect, it, onTestFinished } from "vitest";
import { demoAgents } from "./support/demo-agents.ts";
import { openDemo } from "./support/open-demo.ts";
import { openReceiver as openReceiverFor, type Received, updateIn } from "./support/open-receiver.ts";
import { until } from "./support/until.ts";

const SEND = "/v1/a2a/agents/assistant/message:send";
const VERSION = { "a2a-version": "1.0" };

async function openReceiver(...statuses: number[]) {
  const receiver = await openReceiverFor(...statuses);
  onTestFinished(() => receiver.close());
  return receiver;
}

const pushTo = (...privateOrigins: string[]) => ({ push: { egress: createEgress(), privateOrigins, intervalMs: 20 } });

function message(text: string, config: object, more: object = {}): object {
  return {
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }], ...more },
    configuration: { returnImmediately: true, taskPushNotificationConfig: config },
  };
}

const stateIn = (received: Received): string => updateIn(received).state;

it("tells a receiver of every change of a task's state, once each and in order", async () => {
  const receiver = await openReceiver();
  const { post, runtime } = await openDemo(pushTo(receiver.origin));
  const config = { url: receiver.url, token: "t-1", authentication: { scheme: "Bearer", credentials: "c-1" } };
  const { task } = await (await post(SEND, message("pay 5", config), VERSION)).json();
  await until(() => receiver.received.length === 2, "the question");
  expect(receiver.received[0]?.headers).toMatchObject({
    "content-type": "application/a2a+json",
    "x-a2a-notification-token": "t-1",
    authorization: "Bearer c-1",
  });
  await runtime.decisions.decide((await runtime.decisions.list({ runId: task.id }))[0]?.id ?? "", {
    action: "approve",
  });
  await until(() => receiver.received.length === 4, "the end");
  expect(receiver.received.map(stateIn)).toEqual([
    "TASK_STATE_WORKING",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
  ]);
  // What a task needs, and what it came to, is told with the whole task.
  expect(receiver.received.map(({ body }) => Object.keys(JSON.parse(body))[0])).toEqual(
    expect.arrayContaining(["task", "statusUpdate"]),
  );
  expect(JSON.parse(receiver.received[3]?.body ?? "").task.artifacts).toMatchObject([{ parts: [{ text: "Done." }] }]);
  await until(async () => (await runtime.documents.listDocuments({ kind: "a2a_push" })).items.length === 0, "tidiness");
});

it("signs what it sends with a key that the server publishes", async () => {
  const receiver = await openReceiver();
  const { ask, post } = await openDemo(pushTo(receiver.origin));
  const { task } = await (await post(SEND, message("hello", { url: receiver.url }), VERSION)).json();
  await until(() => receiver.received.length === 2, "the end");
  const { headers, body } = receiver.received[1] ?? { headers: {}, body: "" };
  const keys = createLocalJWKSet(await (await ask("/v1/a2a/jwks.json")).json());
  const { payload } = await compactVerify(String(headers["x-a2a-notification-signature"]), keys);
  expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({
    iat: expect.any(Number),
    task_id: task.id,
    body_sha256: createHash("sha256").update(body).digest("hex"),
  });
});

it("tries again when a receiver fails", async () => {
  const receiver = await openReceiver(500);
  const { post } = await openDemo(pushTo(receiver.origin));
  await post(SEND, message("hello", { url: receiver.url }), VERSION);
  await until(() => receiver.received.length === 3, "the second try");
  expect(receiver.received.map(stateIn)).toEqual(["TASK_STATE_WORKING", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
});

it("sends from another process what the process of the run did not get to send", async () => {
  const receiver = await openReceiver();
  const env = createNodeEnv();
  const store = createMemoryStore({ clock: env.clock });
  const open = async (push: object) => {
    const runtime = await createRuntime({ agents: demoAgents(), store, blobs: createMemoryBlobStore(env), env });
    const server = createServer({ runtime, ...push });
    onTestFinished(async () => {
      server.close();
      await runtime.close();
    });
    return { runtime, server };
  };
  // Its own egress refuses the receiver, as a network that is cut would.
  const first = await open(pushTo());
  const body = JSON.stringify(message("hello", { url: receiver.url }));
  const headers = { "content-type": "application/json", ...VERSION };
  const sent = await first.server.fetch(new Request(`http://localhost${SEND}`, { method: "POST", headers, body }));
  const { task } = await sent.json();
  await (await first.runtime.run(task.id)).outcome();
  first.server.close();
  expect(receiver.received).toEqual([]);
  await open(pushTo(receiver.origin));
  await until(() => receiver.received.length === 2, "the updates");
  expect(receiver.received.map(updateIn)).toEqual([
    { id: task.id, state: "TASK_STATE_WORKING" },
    { id: task.id, state: "TASK_STATE_COMPLETED" },
  ]);
});

it("keeps, lists and deletes the receivers of a task, and shows no credentials", async () => {
  const receiver = await openReceiver();
  const { ask, post, runtime } = await openDemo(pushTo(receiver.origin));
  const { task } = await (await post(SEND, message("stall", { url: receiver.url, id: "a" }), VERSION)).json();
  const configs = `/v1/a2a/agents/assistant/tasks/${task.id}/pushNotificationConfigs`;
  const added = { id: "b", url: receiver.url, authentication: { scheme: "Bearer", credentials: "hidden" } };
  expect((await post(configs, added, VERSION)).status).toBe(200);
  const listed = await (await ask(configs, { headers: VERSION })).json();
  expect(listed.configs.map(({ id }: { id: string }) => id)).toEqual(["a", "b"]);
  expect(JSON.stringify(listed)).not.toContain("hidden");
  expect((await ask(`${configs}/b`, { headers: VERSION })).status).toBe(200);
  expect((await ask(`${configs}/b`, { method: "DELETE", headers: VERSION })).status).toBe(200);
  expect((await ask(`${configs}/b`, { headers: VERSION })).status).toBe(404);
  await (await runtime.run(task.id)).cancel();
});

it("keeps the receivers of a task that is over, and tells a new one how the task ended", async () => {
  const receiver = await openReceiver();
  const { ask, post, runtime } = await openDemo(pushTo(receiver.origin));
  const { task } = await (await post(SEND, message("hello", { url: receiver.url, id: "a" }), VERSION)).json();
  await until(() => receiver.statesOf(task.id).length === 2, "the end");
  const configs = `/v1/a2a/agents/assistant/tasks/${task.id}/pushNotificationConfigs`;
  expect((await post(configs, { id: "b", url: receiver.url }, VERSION)).status).toBe(200);
  await until(() => receiver.statesOf(task.id).length === 3, "the end, for the new one");
  expect(receiver.received.map(stateIn).at(-1)).toBe("TASK_STATE_COMPLETED");
  await until(async () => (await runtime.documents.listDocuments({ kind: "a2a_push" })).items.length === 0, "tidiness");
  const listed = await (await ask(configs, { headers: VERSION })).json();
  expect(listed.configs.map(({ id }: { id: string }) => id)).toEqual(["a", "b"]);
  for (const id of ["a", "b"]) {
    expect((await ask(`${configs}/${id}`, { method: "DELETE", headers: VERSION })).status).toBe(200);
    expect((await ask(`${configs}/${id}`, { headers: VERSION })).status).toBe(404);
  }
});

it("tells that a task was cancelled before it began", async () => {
  const receiver = await openReceiver();
  const { post, runtime } = await openDemo(pushTo(receiver.origin));
  const first = await runtime.start({ agent: "assistant", threadId: "t", input: "stall" });
  const queued = message("hello", { url: receiver.url }, { contextId: "t" });
  const { task } = await (await post(SEND, queued, VERSION)).json();
  await (await runtime.run(task.id)).cancel();
  await until(() => receiver.received.length === 1, "the end");
  expect(receiver.received.map(updateIn)).toEqual([{ id: task.id, state: "TASK_STATE_CANCELED" }]);
  await first.cancel();
});

it("names files by addresses that can be read, and sends small ones as bytes", async () => {
  const receiver = await openReceiver();
  const large = Buffer.alloc(100_000, "x").toString("base64");
  const files = [
    { file: `data:text/plain;base64,${Buffer.from("small").toString("base64")}`, mediaType: "text/plain" },
    { file: `data:text/plain;base64,${large}`, mediaType: "text/plain" },
  ];
  const agents = [defineAgent({ id: "assistant", model: scriptedModel([files]) })];
  const { ask, post } = await openDemo({ ...pushTo(receiver.origin), agents });
  await post(SEND, message("draw", { url: receiver.url }), VERSION);
  await until(() => receiver.received.map(stateIn).includes("TASK_STATE_COMPLETED"), "the end");
  const { task } = JSON.parse(receiver.received.at(-1)?.body ?? "");
  const [small, big] = task.artifacts.map(({ parts }: { parts: readonly object[] }) => parts[0]);
  expect(small).toEqual({ raw: Buffer.from("small").toString("base64"), mediaType: "text/plain" });
  expect(big).toEqual({ url: expect.stringMatching(/^http:\/\/localhost\/v1\/blobs\//), mediaType: "text/plain" });
  const read = await ask(new URL(big.url).pathname);
  expect((await read.arrayBuffer()).byteLength).toBe(100_000);
});

it.each([
  ["an address of another scheme", { url: "file:///etc/passwd" }, "http or https"],
  ["an address that is none", { url: "here" }, "http or https"],
  ["credentials with a line break", { url: "https://a.test", authentication: { scheme: "a\r\nb" } }, "line breaks"],
])("refuses %s", async (_, config, words) => {
  const { post, runtime } = await openDemo(pushTo());
  const response = await post(SEND, message("hello", config), VERSION);
  // Nothing is begun for a request that is refused.
  expect((await runtime.runs()).total).toBe(0);
  expect([response.status, JSON.stringify(await response.json())]).toEqual([400, expect.stringContaining(words)]);
});

it("says that it sends none when it has no way to", async () => {
  const { ask, post } = await openDemo();
  const response = await post(SEND, message("hello", { url: "https://a.test" }), VERSION);
  expect(await response.json()).toMatchObject({ error: { details: [{ reason: "PUSH_NOTIFICATION_NOT_SUPPORTED" }] } });
  const card = await (await ask("/v1/a2a/agents/assistant/agent-card")).json();
  expect(card.capabilities.pushNotifications).toBe(false);
});
