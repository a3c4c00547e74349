import { createAiSdkEncoder, decodeAiSdkRequest, selectOpenDecisions } from "@reprise/protocols/ai-sdk";
import { loadScenes, type ProtocolScene } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import type { Client, ClientMessage } from "./support/client.ts";
import { comparable } from "./support/comparable-parts.ts";
import { loadClients } from "./support/load-clients.ts";
import { bytesOf, readMessage } from "./support/read-stream.ts";

const clients = await loadClients();

function sceneOf(name: string): ProtocolScene {
  const scene = loadScenes().find((candidate) => candidate.name === name);
  if (scene === undefined) throw new Error(`There is no scene ${name}.`);
  return scene;
}

/** The responses a run is served in: each ends where the run waits, and the next one continues. */
function responsesOf({ events }: ProtocolScene): readonly string[] {
  const responses: string[] = [];
  let encoder = createAiSdkEncoder();
  let response = "";
  for (const { event, cursor } of events) {
    response += encoder.encode(event, cursor);
    if (encoder.phase === "open") continue;
    responses.push(response + encoder.end());
    response = "";
    encoder = createAiSdkEncoder({ state: encoder.state });
  }
  return responses;
}

/** What the stock transport posts. */
async function post(
  client: Client,
  messages: readonly unknown[],
  trigger: string,
  messageId?: string,
): Promise<string> {
  let body = "";
  const answer: typeof fetch = async (_, init) => {
    body = String(init?.body);
    return new Response(bytesOf("data: [DONE]\n\n"), { headers: { "content-type": "text/event-stream" } });
  };
  const transport = new client.DefaultChatTransport({ api: "http://127.0.0.1/runs", fetch: answer });
  await transport.sendMessages({ chatId: "thread-1", messages, trigger, messageId, abortSignal: undefined });
  return body;
}

const asked = { id: "u1", role: "user", parts: [{ type: "text", text: "Go." }] };

/** The message after the user has answered its open question. */
function respond(message: ClientMessage, approved: boolean): ClientMessage {
  const parts = message.parts.map((part) => {
    if (part.state !== "approval-requested") return part;
    return { ...part, state: "approval-responded", approval: { ...(part.approval as object), approved } };
  });
  return { ...message, parts };
}

describe.each(clients)("a conversation with $name", (client) => {
  it.each(["approval-approved", "approval-denied", "approval-edited", "frontend-tool", "budget-question"])(
    "goes on in the same message after the decision of %s",
    async (name) => {
      const scene = sceneOf(name);
      const [first = "", second = ""] = responsesOf(scene);
      const waiting = await readMessage(client, first);
      if (waiting.message === undefined) throw new Error("Nothing came.");
      const { message, errors } = await readMessage(
        client,
        second,
        respond(waiting.message, name !== "approval-denied"),
      );
      expect([...waiting.errors, ...errors]).toEqual([]);
      const whole = await readMessage(client, responsesOf(scene).join("").replaceAll("data: [DONE]\n\n", ""));
      expect(comparable(message)).toEqual(comparable(whole.message));
      await client.validateUIMessages({ messages: [asked, message] });
    },
  );

  it("posts a question that is decoded as what was said", async () => {
    const body = await post(client, [asked], "submit-message");
    expect(decodeAiSdkRequest(body, "agent")).toEqual({
      kind: "submit",
      request: {
        agent_id: "agent",
        thread_id: "thread-1",
        origin: "ai_sdk",
        messages: [{ id: "u1", role: "user", content: "Go." }],
      },
    });
  });

  it.each([true, false])(
    "posts the answer to a question (%s) that is decoded as a decision about it alone",
    async (approved) => {
      const scene = sceneOf("approval-open");
      const { message } = await readMessage(client, responsesOf(scene)[0] ?? "");
      if (message === undefined) throw new Error("Nothing came.");
      const body = await post(client, [asked, respond(message, approved)], "submit-message", message.id);
      const request = decodeAiSdkRequest(body, "agent");
      if (request.kind !== "decisions") throw new Error(`It was read as ${request.kind}.`);
      expect(request.reply).toBe("stream");
      const call = scene.calls.find(({ status }) => status === "suspended");
      expect(selectOpenDecisions(request.decisions, scene.calls)).toEqual([
        {
          target_id: call?.ticket?.suspension.id,
          action: approved ? "resume" : "cancel",
          payload: { approved },
          binding_hash: call?.binding_hash,
          suspension: 1,
        },
      ]);
    },
  );

  it("posts what a tool of the browser came to, decoded as its result", async () => {
    const [first = ""] = responsesOf(sceneOf("frontend-tool"));
    const { message } = await readMessage(client, first);
    const parts = message?.parts.map((part) =>
      part.state === "input-available" ? { ...part, state: "output-available", output: { city: "Oslo" } } : part,
    );
    const body = await post(client, [asked, { ...message, parts }], "submit-message", message?.id);
    expect(decodeAiSdkRequest(body, "agent")).toMatchObject({
      kind: "decisions",
      decisions: [{ target_id: "run-1-s1-c0", action: "resume", result: { city: "Oslo" } }],
    });
  });

  it("posts a wish for another answer by its id", async () => {
    const body = await post(client, [asked], "regenerate-message", "run-1-s1-m");
    expect(decodeAiSdkRequest(body, "agent")).toEqual({
      kind: "regenerate",
      message_id: "run-1-s1-m",
      thread_id: "thread-1",
    });
  });
});
