import { createHash } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createEgress, createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { createServer } from "@reprise/server";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { compactVerify, createLocalJWKSet } from "jose";
import { expect, it, onTestFinished } from "vitest";
import { demoAgents } from "./support/demo-agents.ts";
import { openDemo } from "./support/open-demo.ts";
import { until } from "./support/until.ts";

const SEND = "/v1/a2a/agents/assistant/message:send";
const VERSION = { "a2a-version": "1.0" };

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A receiver of notifications that answers with the given statuses, and then with 200. */
async function openReceiver(...statuses: number[]) {
  const received: Received[] = [];
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, origin, url: `${origin}/hook` };
}

const pushTo = (...privateOrigins: string[]) => ({ push: { egress: createEgress(), privateOrigins, intervalMs: 20 } });

function message(text: string, config: object, more: object = {}): object {
  return {
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }], ...more },
    configuration: { returnImmediately: true, taskPushNotificationConfig: config },
  };
}

const stateIn = ({ body }: Received): string => JSON.parse(body).task.status.state;

it("tells a receiver when a task needs input and when it is over, once each", async () => {
  const receiver = await openReceiver();
  const { post, runtime } = await openDemo(pushTo(receiver.origin));
  const config = { url: receiver.url, token: "t-1", authentication: { scheme: "Bearer", credentials: "c-1" } };
  const { task } = await (await post(SEND, message("pay 5", config), VERSION)).json();
  await until(() => receiver.received.length === 1, "the question");
  expect(receiver.received[0]?.headers).toMatchObject({
    "content-type": "application/a2a+json",
    "x-a2a-notification-token": "t-1",
    authorization: "Bearer c-1",
  });
  await runtime.decisions.decide((await runtime.decisions.list({ runId: task.id }))[0]?.id ?? "", {
    action: "approve",
  });
  await until(() => receiver.received.length === 2, "the end");
  expect(receiver.received.map(stateIn)).toEqual(["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"]);
  await until(async () => (await runtime.documents.listDocuments({ kind: "a2a_push" })).items.length === 0, "tidiness");
});

it("signs what it sends with a key that the server publishes", async () => {
  const receiver = await openReceiver();
  const { ask, post } = await openDemo(pushTo(receiver.origin));
  const { task } = await (await post(SEND, message("hello", { url: receiver.url }), VERSION)).json();
  await until(() => receiver.received.length === 1, "the end");
  const { headers, body } = receiver.received[0] ?? { headers: {}, body: "" };
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
  await until(() => receiver.received.length === 2, "the second try");
  expect(receiver.received.map(stateIn)).toEqual(["TASK_STATE_COMPLETED", "TASK_STATE_COMPLETED"]);
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
  await until(() => receiver.received.length === 1, "the update");
  expect(JSON.parse(receiver.received[0]?.body ?? "").task).toMatchObject({ id: task.id });
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
