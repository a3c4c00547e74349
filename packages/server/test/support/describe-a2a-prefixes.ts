import { type Message, type Part, Role, SendMessageRequest, type StreamResponse, TaskState } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectTo } from "./connect-a2a.ts";
import { openReceiver, type Receiver } from "./open-receiver.ts";
import { type DemoServer, startDemo } from "./start-demo.ts";
import { until } from "./until.ts";

const {
  TASK_STATE_COMPLETED: COMPLETED,
  TASK_STATE_INPUT_REQUIRED: INPUT_REQUIRED,
  TASK_STATE_REJECTED: REJECTED,
  TASK_STATE_WORKING: WORKING,
} = TaskState;

function message(prefix: string, more: object = {}, configuration: object = {}): SendMessageRequest {
  return SendMessageRequest.fromJSON({
    message: { messageId: `${prefix}-${crypto.randomUUID()}`, role: "ROLE_USER", parts: [{ text: "go" }], ...more },
    configuration,
  });
}

const contentOf = ({ content }: Part): unknown =>
  content?.$case === "raw" ? Buffer.from(content.value).toString() : content?.value;

/** What the agent of the official suite must do, seen by the official client. */
export function describeA2aPrefixes(placeOf: () => string): void {
  let server: DemoServer;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
    server = await startDemo(placeOf(), { program: "serve-prefixes.ts", variables: { RECEIVER: receiver.origin } });
  });
  afterAll(async () => {
    await server?.kill();
    receiver?.close();
  });

  describe.each(["HTTP+JSON", "JSONRPC"] as const)("the agent of the official A2A suite over %s", (binding) => {
    const connect = (): Promise<Client> => connectTo(server.url, binding, "prefixes");
    const send = async (prefix: string, more: object = {}) => {
      const answer = await (await connect()).sendMessage(message(prefix, more));
      if (!("status" in answer)) throw new Error("The answer is no task.");
      return answer;
    };

    it.each([
      ["tck-complete-task", "text", "Hello from TCK"],
      ["tck-artifact-text", "text", "Generated text content"],
      ["tck-artifact-file", "raw", "tck"],
      ["tck-artifact-file-url", "url", "https://example.com/output.txt"],
      ["tck-artifact-data", "data", { key: "value", count: 42 }],
    ])("completes %s with an artifact of the kind %s, in the task and in its stream", async (prefix, kind, content) => {
      const { status, artifacts } = await send(prefix);
      const parts = artifacts.flatMap((artifact) => artifact.parts);
      expect([status?.state, parts.map((part) => [part.content?.$case, contentOf(part)])]).toEqual([
        COMPLETED,
        [[kind, content]],
      ]);
      const streamed: Part[] = [];
      for await (const { payload } of (await connect()).sendMessageStream(message(prefix)))
        if (payload?.$case === "artifactUpdate") streamed.push(...(payload.value.artifact?.parts ?? []));
      expect(
        streamed.filter((part) => contentOf(part) !== "").map((part) => [part.content?.$case, contentOf(part)]),
      ).toEqual([[kind, content]]);
    });

    it("answers tck-message-response with a message, also as the only item of a stream", async () => {
      const client = await connect();
      const answer = (await client.sendMessage(message("tck-message-response"))) as Message;
      expect([answer.role, answer.parts.map(contentOf)]).toEqual([Role.ROLE_AGENT, ["Direct message response"]]);
      const items: StreamResponse[] = [];
      for await (const item of client.sendMessageStream(message("tck-message-response"))) items.push(item);
      expect(items).toMatchObject([
        { payload: { $case: "message", value: { parts: [{ content: { value: "Direct message response" } }] } } },
      ]);
    });

    it("asks at tck-input-required, and the next message to the task completes it", async () => {
      const asked = await send("tck-input-required");
      expect(asked.status?.state).toBe(INPUT_REQUIRED);
      const done = await send("tck-complete-task", { taskId: asked.id });
      expect([done.id, done.status?.state]).toEqual([asked.id, COMPLETED]);
    });

    it("rejects tck-reject-task, and lists the task as rejected", async () => {
      const task = await send("tck-reject-task");
      expect([task.status?.state, task.status?.message?.parts.map(contentOf)]).toEqual([REJECTED, ["rejected"]]);
      const query = { tenant: "", contextId: task.contextId, status: REJECTED, pageToken: "" };
      const { tasks, totalSize } = await (await connect()).listTasks({ ...query, statusTimestampAfter: undefined });
      expect([totalSize, tasks.map(({ id }) => id)]).toEqual([1, [task.id]]);
    });

    it("returns immediately while tck-delayed-complete works, and a subscription sees its end", async () => {
      const client = await connect();
      const begun = await client.sendMessage(message("tck-delayed-complete", {}, { returnImmediately: true }));
      if (!("status" in begun)) throw new Error("The answer is no task.");
      expect([TaskState.TASK_STATE_SUBMITTED, WORKING]).toContain(begun.status?.state);
      const items: StreamResponse[] = [];
      for await (const item of client.resubscribeTask({ tenant: "", id: begun.id })) {
        items.push(item);
        if (items.length === 1) await send("release");
      }
      expect(items[0]?.payload).toMatchObject({ $case: "task", value: { id: begun.id } });
      expect(items.at(-1)?.payload).toMatchObject({ $case: "statusUpdate", value: { status: { state: COMPLETED } } });
    });

    it("streams the chunks of an artifact in their order", async () => {
      const chunks: unknown[] = [];
      for await (const { payload } of (await connect()).sendMessageStream(message("tck-stream-artifact-chunked")))
        if (payload?.$case === "artifactUpdate") chunks.push(...(payload.value.artifact?.parts ?? []).map(contentOf));
      expect(chunks).toEqual(["chunk-1 ", "chunk-2", ""]);
    });

    it("notifies a receiver of every change of a task's state, in its order", async () => {
      const client = await connect();
      const config = { id: crypto.randomUUID(), url: receiver.url, token: crypto.randomUUID() };
      const sent = message("tck-input-required", {}, { taskPushNotificationConfig: config });
      const asked = await client.sendMessage(sent);
      if (!("status" in asked)) throw new Error("The answer is no task.");
      await send("tck-complete-task", { taskId: asked.id });
      const heard = () => receiver.statesOf(asked.id);
      await until(() => heard().includes("TASK_STATE_COMPLETED"), "the last notification");
      expect(heard()).toEqual([
        "TASK_STATE_WORKING",
        "TASK_STATE_INPUT_REQUIRED",
        "TASK_STATE_WORKING",
        "TASK_STATE_COMPLETED",
      ]);
      const stored = { tenant: "", taskId: asked.id, id: config.id };
      expect((await client.getTaskPushNotificationConfig(stored)).url).toBe(receiver.url);
      await client.deleteTaskPushNotificationConfig(stored);
      await expect(client.getTaskPushNotificationConfig(stored)).rejects.toThrow(/not found/);
    });
  });
}
