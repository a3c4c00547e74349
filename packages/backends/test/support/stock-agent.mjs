// An agent on the official server of A2A, as its own pages make one. Says where it listens. Plain JavaScript: the packages of the server have no types here.
import { setTimeout as sleep } from "node:timers/promises";
import { AgentCard, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";

const [, , protocolBinding, streaming] = process.argv;
const cancelled = new Set();

const executor = {
  async execute({ userMessage, taskId, contextId, task }, bus) {
    const said = userMessage.parts.map(({ content }) => content?.value ?? "").join("");
    const agentMessage = (text) => ({ messageId: crypto.randomUUID(), role: "ROLE_AGENT", parts: [{ text }] });
    const status = (state, text) => ({
      state,
      timestamp: new Date().toISOString(),
      ...(text !== undefined && { message: agentMessage(text) }),
    });
    const move = (state, text) =>
      bus.publish(
        AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status: status(state, text) })),
      );
    const add = (text, more = {}) =>
      bus.publish(
        AgentEvent.artifactUpdate(
          TaskArtifactUpdateEvent.fromJSON({
            taskId,
            contextId,
            artifact: { artifactId: "a", parts: [{ text }] },
            ...more,
          }),
        ),
      );
    bus.publish(
      AgentEvent.task(task ?? Task.fromJSON({ id: taskId, contextId, status: status("TASK_STATE_SUBMITTED") })),
    );
    move("TASK_STATE_WORKING");
    if (task !== undefined) {
      add(`Flying to ${said}.`);
      move("TASK_STATE_COMPLETED");
    } else if (said.includes("fly")) move("TASK_STATE_INPUT_REQUIRED", "Which city?");
    else if (said.includes("dance")) move("TASK_STATE_REJECTED", "not my field");
    else if (said.includes("break")) move("TASK_STATE_FAILED", "it broke");
    else if (said.includes("wait")) {
      while (!cancelled.has(taskId)) await sleep(20);
      move("TASK_STATE_CANCELED");
    } else {
      add("You said: ");
      await sleep(50);
      add(said, { append: true, lastChunk: true });
      move("TASK_STATE_COMPLETED");
    }
    bus.finished();
  },
  async cancelTask(taskId) {
    cancelled.add(taskId);
  },
};

const app = express();
const server = app.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const card = AgentCard.fromJSON({
    name: "stock",
    description: "An agent on the official server.",
    version: "1",
    supportedInterfaces: [{ url: `${url}/a2a`, protocolBinding, protocolVersion: "1.0" }],
    capabilities: { streaming: streaming === "streaming" },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  });
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/a2a", protocolBinding === "JSONRPC" ? jsonRpcHandler(options) : restHandler(options));
  console.log(url);
});
