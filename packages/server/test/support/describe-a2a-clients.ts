import { Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { a2aSays, a2aTextOf } from "./a2a-messages.ts";
import { connectTo } from "./connect-a2a.ts";
import { type DemoServer, startDemo } from "./start-demo.ts";

async function readAll(stream: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse[]> {
  const items: StreamResponse[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

async function send(client: Client, ...message: Parameters<typeof a2aSays>): Promise<Task> {
  const answer = await client.sendMessage(a2aSays(...message));
  if (!("status" in answer)) throw new Error("The answer is no task.");
  return answer;
}

/** What the official client does with a server that is a process, wherever its tasks live. */
export function describeA2aClients(placeOf: () => string): void {
  let server: DemoServer;
  beforeAll(async () => {
    server = await startDemo(placeOf());
  });
  afterAll(() => server?.kill());

  describe.each(["HTTP+JSON", "JSONRPC"] as const)("the official A2A client over %s", (binding) => {
    const connect = (): Promise<Client> => connectTo(server.url, binding, "assistant");

    it("sends a message and gets the finished task, which it can read again and list", async () => {
      const client = await connect();
      const task = await send(client, "hello");
      expect([task.status?.state, a2aTextOf(task)]).toEqual([TaskState.TASK_STATE_COMPLETED, "You said: hello"]);
      expect(task.history.map(({ role }) => role)).toEqual([Role.ROLE_USER, Role.ROLE_AGENT]);

      const again = await client.getTask({ tenant: "", id: task.id });
      expect(again).toEqual(task);
      const listed = await client.listTasks({
        tenant: "",
        contextId: task.contextId,
        status: TaskState.TASK_STATE_COMPLETED,
        pageToken: "",
        statusTimestampAfter: undefined,
      });
      expect([listed.totalSize, listed.tasks.map(({ id }) => id)]).toEqual([1, [task.id]]);
    });

    it("streams a task from its beginning to its end, in the pieces the model gave", async () => {
      const client = await connect();
      const items = await readAll(client.sendMessageStream(a2aSays("hello")));
      const kinds = items.map(({ payload }) => payload?.$case);
      expect([kinds[0], kinds.at(-1)]).toEqual(["task", "statusUpdate"]);
      const text = items.map(({ payload }) => {
        const [part] = payload?.$case === "artifactUpdate" ? (payload.value.artifact?.parts ?? []) : [];
        return part?.content?.$case === "text" ? part.content.value : "";
      });
      expect(text.join("")).toBe("You said: hello");
      const last = items.at(-1)?.payload;
      expect(last?.$case === "statusUpdate" && last.value.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    });

    it("is asked for an approval, and its answer continues the same task", async () => {
      const client = await connect();
      const asked = await send(client, "pay 5");
      expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      const question = asked.status?.message?.parts.find(({ content }) => content?.$case === "data")?.content?.value;
      expect(question).toMatchObject({ question: { tool: "pay", arguments: { amount: 5 } } });

      await expect(send(client, "perhaps", { taskId: asked.id })).rejects.toThrow(/approve/);
      const done = await send(client, "approve", { taskId: asked.id, contextId: asked.contextId });
      expect([done.id, done.status?.state, a2aTextOf(done)]).toEqual([
        asked.id,
        TaskState.TASK_STATE_COMPLETED,
        "Done.",
      ]);
      await expect(send(client, "more", { taskId: asked.id })).rejects.toThrow(/over/);
    });

    it("cancels a task, and subscribes to one that is at work", async () => {
      const client = await connect();
      const [first] = await client
        .sendMessageStream(a2aSays("stall"))
        .next()
        .then(({ value }) => [value as StreamResponse]);
      const id = first?.payload?.$case === "task" ? first.payload.value.id : "";
      const subscription = client.resubscribeTask({ tenant: "", id });
      expect((await subscription.next()).value).toMatchObject({ payload: { $case: "task", value: { id } } });
      const cancelled = await client.cancelTask({ tenant: "", id, metadata: undefined });
      expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
      const rest = await readAll(subscription);
      expect(rest.at(-1)?.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_CANCELED } } });
      await expect(client.cancelTask({ tenant: "", id, metadata: undefined })).rejects.toThrow(/over/);
      await expect(readAll(client.resubscribeTask({ tenant: "", id }))).rejects.toThrow(/over/);
    });

    it("gets the errors of the protocol by their types", async () => {
      const client = await connect();
      const error = await client.getTask({ tenant: "", id: "none" }).catch((thrown: unknown) => thrown);
      expect((error as Error).constructor.name).toMatch(/TaskNotFoundError/);
      expect((error as Error).message).toContain("task not found: none");
    });

    it("answers a question of a server that was killed meanwhile, and the same task continues", async () => {
      const asked = await send(await connect(), "pay 5");
      await server.kill();
      server = await startDemo(placeOf());
      const done = await send(await connect(), "approve", { taskId: asked.id });
      expect([done.id, done.status?.state, a2aTextOf(done)]).toEqual([
        asked.id,
        TaskState.TASK_STATE_COMPLETED,
        "Done.",
      ]);
    });
  });
}
