import { Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { createEgress } from "@reprise/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { a2aSays, a2aTextOf } from "./support/a2a-messages.ts";
import { connectTo } from "./support/connect-a2a.ts";
import { listenDemo, openDemo } from "./support/open-demo.ts";
import { openReceiver, updateIn } from "./support/open-receiver.ts";
import { teamAgents } from "./support/team-agents.ts";
import { until } from "./support/until.ts";

const SEND = "/v1/a2a/agents/boss/message:send";
const VERSION = { "a2a-version": "1.0" };

interface Question {
  readonly target_id: string;
  readonly tool: string;
  readonly arguments: { readonly to: string };
}

function questionsIn(task: Pick<Task, "status">): readonly Question[] {
  const parts = task.status?.message?.parts ?? [];
  return parts.flatMap(({ content }) => (content?.$case === "data" ? [content.value.question as Question] : []));
}

async function serve(names?: readonly string[]) {
  const demo = await openDemo({ agents: teamAgents(names) });
  const { url } = await listenDemo(demo.server);
  return { ...demo, url };
}

const stateOf = ({ payload }: StreamResponse): TaskState | undefined =>
  payload?.$case === "statusUpdate" || payload?.$case === "task" ? payload.value.status?.state : undefined;

describe.each(["HTTP+JSON", "JSONRPC"] as const)(
  "the official A2A client over %s and a run below that asks",
  (binding) => {
    const connect = async (url: string) => {
      const client = await connectTo(url, binding, "boss");
      const send = async (...message: Parameters<typeof a2aSays>): Promise<Task> => {
        const answer = await client.sendMessage(a2aSays(...message));
        if (!("status" in answer)) throw new Error("The answer is no task.");
        return answer;
      };
      return { client, send };
    };

    it("gets the question as its task's, reads and lists it as such, and its answer continues the task", async () => {
      const { url } = await serve();
      const { client, send } = await connect(url);
      const asked = await send("go");
      expect(asked.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      expect(questionsIn(asked)).toMatchObject([{ tool: "pay", arguments: { to: "Ada" } }]);
      expect(await client.getTask({ tenant: "", id: asked.id })).toEqual(asked);
      const list = { tenant: "", contextId: asked.contextId, pageToken: "", statusTimestampAfter: undefined };
      const listed = await client.listTasks({ ...list, status: TaskState.TASK_STATE_INPUT_REQUIRED });
      expect(listed.tasks.map(({ id }) => id)).toEqual([asked.id]);

      const done = await send("approve", { taskId: asked.id });
      expect([done.id, done.status?.state]).toEqual([asked.id, TaskState.TASK_STATE_COMPLETED]);
      // What the clerk said is its own.
      expect(a2aTextOf(done)).toBe("All is paid.");
      expect(done.history.map(({ role }) => role)).toEqual([Role.ROLE_USER, Role.ROLE_AGENT]);
    });

    it("is asked in a stream, and in the subscription of another client, which sees the task work again", async () => {
      const { url } = await serve();
      const { client } = await connect(url);
      const items: StreamResponse[] = [];
      for await (const item of client.sendMessageStream(a2aSays("go"))) items.push(item);
      expect(items.map(stateOf)).toEqual([TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_INPUT_REQUIRED]);
      const [first, last] = items;
      const id = first?.payload?.$case === "task" ? first.payload.value.id : "";
      expect(last?.payload?.$case === "statusUpdate" && questionsIn(last.payload.value)).toMatchObject([
        { tool: "pay" },
      ]);

      const subscription = client.resubscribeTask({ tenant: "", id });
      const now = (await subscription.next()).value as StreamResponse;
      expect(stateOf(now)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      const answered: StreamResponse[] = [];
      for await (const item of client.sendMessageStream(a2aSays("approve", { taskId: id }))) answered.push(item);
      for (const told of [answered, await readRest(subscription)]) {
        const states = told.map(stateOf).filter((state) => state !== undefined);
        expect(states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
        expect(states).not.toContain(TaskState.TASK_STATE_INPUT_REQUIRED);
        expect(states).toContain(TaskState.TASK_STATE_WORKING);
      }
    });

    it("decides each of two questions by its id, and is asked for the one that is left", async () => {
      const { url, runtime } = await serve(["Ada", "Bob"]);
      const { send } = await connect(url);
      const asked = await send("go");
      const questions = questionsIn(asked);
      expect(questions.map((question) => question.arguments.to).sort()).toEqual(["Ada", "Bob"]);
      await expect(send("approve", { taskId: asked.id })).rejects.toThrow(/for each question/);
      const [one, two] = questions;
      const left = await send({ decision: { target_id: one?.target_id, action: "resume" } }, { taskId: asked.id });
      expect(left.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
      expect(questionsIn(left).map(({ target_id }) => target_id)).toEqual([two?.target_id]);
      const done = await send({ decision: { target_id: two?.target_id, action: "cancel" } }, { taskId: asked.id });
      expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
      expect(await runtime.decisions.list()).toEqual([]);
    });
  },
);

it("pushes the question of a run below, that the task works again, and its end", async () => {
  const receiver = await openReceiver();
  onTestFinished(() => receiver.close());
  const push = { egress: createEgress(), privateOrigins: [receiver.origin], intervalMs: 20 };
  const { post, runtime } = await openDemo({ agents: teamAgents(), push });
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "go" }] };
  const configuration = { returnImmediately: true, taskPushNotificationConfig: { url: receiver.url } };
  const { task } = await (await post(SEND, { message, configuration }, VERSION)).json();
  const states = (): readonly string[] => receiver.received.map((received) => updateIn(received).state);
  await until(() => states().length === 2, "the question");
  expect(states()).toEqual(["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"]);
  const asked = JSON.parse(receiver.received[1]?.body ?? "").task;
  expect([asked.id, asked.status.message.parts[1].data.question.tool]).toEqual([task.id, "pay"]);
  const [open] = await runtime.decisions.list();
  await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
  await until(() => states().includes("TASK_STATE_COMPLETED"), "the end");
  expect(states().slice(2)).toEqual(["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
  await until(async () => (await runtime.documents.listDocuments({ kind: "a2a_push" })).items.length === 0, "tidiness");
});

async function readRest(stream: AsyncIterable<StreamResponse>): Promise<readonly StreamResponse[]> {
  const items: StreamResponse[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
