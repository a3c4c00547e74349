import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { scriptedModel } from "@reprise/models";
import { defineAgent, defineTool } from "@reprise/runtime";
import { createApiKeys, createServer, type ServerOptions } from "@reprise/server";
import { type NatsGatewayOptions, openNatsGateway } from "@reprise/server/nats";
import { encodeScene, eventually } from "@reprise/testkit";
import { createRuntime, memory } from "reprise";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { ALL_SCENES, isCommon, PROTOCOLS, parseFrames } from "../../protocols/test/support/meaning.ts";
import { type NatsServer, startNats } from "../../stores/test/nats/start-nats.ts";

type Event = { readonly type: string; readonly [key: string]: unknown };

describeWithService("nats", "the NATS gateway", (service) => {
  let broker: NatsServer | undefined;
  let client: NatsConnection;
  let count = 0;
  beforeAll(async () => {
    broker = await startNats(service, { hasJetStream: false });
    client = await connect({ servers: broker.url });
  });
  afterAll(async () => {
    await client?.close();
    await broker?.stop();
  });

  /** A gateway on subjects of its own, so that tests do not hear each other. */
  async function open(more: Partial<ServerOptions & NatsGatewayOptions> = {}) {
    const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => "paid" });
    const runtime = await createRuntime({
      agents: [
        defineAgent({ id: "assistant", model: scriptedModel([[{ text: ["Hel", "lo."] }]]) }),
        defineAgent({ id: "payer", model: scriptedModel([[{ call: "pay" }], "Done."]), tools: [pay] }),
        defineAgent({ id: "long", model: scriptedModel([[{ text: "x".repeat(2_000_000) }]]) }),
      ],
      store: memory(),
    });
    const keys = createApiKeys(runtime);
    const server = createServer({
      runtime,
      ...(more.authenticate !== undefined && { authenticate: keys.authenticate }),
    });
    const problems: string[] = [];
    count += 1;
    const subjects = { agUi: `test.${count}.ag-ui`, aiSdk: `test.${count}.ai-sdk` };
    const gateway = await openNatsGateway({
      server,
      nats: { servers: broker?.url },
      subjects,
      onProblem: (text) => problems.push(text),
      ...more,
    });
    onTestFinished(async () => {
      await gateway.close();
      await runtime.close();
    });
    return { runtime, subjects: more.subjects ?? subjects, problems, keys, gateway };
  }

  /** All events of a request: until the empty message that was asked for. */
  async function ask(subject: string, payload: unknown, more: Readonly<Record<string, string>> = {}) {
    const given = headers();
    for (const [name, value] of Object.entries({ "reprise-sentinel": "true", ...more })) given.set(name, value);
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    const options = { strategy: "sentinel", maxWait: 20_000, headers: given } as const;
    const events: Event[] = [];
    for await (const message of await client.requestMany(subject, text, options))
      if (message.data.length > 0) events.push(message.json());
    return events;
  }

  const types = (events: readonly Event[]): readonly string[] => events.map(({ type }) => type);
  const agUi = (request: object, agentId = "assistant") => ({
    agentId,
    request: { threadId: "t2", runId: "r2", tools: [], messages: [{ role: "user", content: "hello" }], ...request },
  });

  it("streams a run of the AI SDK protocol to the inbox of the request", async () => {
    const { runtime, subjects } = await open();
    const asked = { agentId: "assistant", sessionId: "t1", input: "hello", runId: "r1" };
    const events = await ask(subjects.aiSdk ?? "", asked);
    expect(types(events)).toEqual(
      expect.arrayContaining(["start", "text-start", "text-delta", "text-end", "finish-step", "finish"]),
    );
    expect(types(events).at(-1)).toBe("finish");
    const text = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("");
    expect(text).toBe("Hello.");
    expect(await (await runtime.run("r1")).record()).toMatchObject({ thread_id: "t1", status: "done", origin: "nats" });
  });

  it("takes the shape that useChat posts, and answers a request that is sent again with the same run", async () => {
    const { runtime, subjects } = await open();
    const messages = [{ id: "u1", role: "user", parts: [{ type: "text", text: "hello" }] }];
    const asked = { agentId: "assistant", id: "t1", messages, runId: "r1" };
    const first = await ask(subjects.aiSdk ?? "", asked);
    expect(await ask(subjects.aiSdk ?? "", asked)).toEqual(first);
    expect((await runtime.runs()).total).toBe(1);
  });

  it("streams a run of AG-UI from RUN_STARTED to RUN_FINISHED", async () => {
    const { subjects } = await open();
    const events = await ask(subjects.agUi ?? "", agUi({}));
    expect(types(events)[0]).toBe("RUN_STARTED");
    expect(types(events).at(-1)).toBe("RUN_FINISHED");
    expect(types(events)).toContain("TEXT_MESSAGE_CONTENT");
  });

  it("answers an AG-UI request that is sent again with the same run, and lists runs by the way they came", async () => {
    const { runtime, subjects } = await open();
    const first = await ask(subjects.agUi ?? "", agUi({}));
    expect(await ask(subjects.agUi ?? "", agUi({}))).toEqual(first);
    await runtime.runToCompletion({ agent: "assistant", input: "hello" });
    expect((await runtime.runs({ origin: "nats" })).total).toBe(1);
    expect((await runtime.runs()).total).toBe(2);
  });

  it("prefers the inbox of the message to the replySubject of its payload", async () => {
    const { subjects } = await open();
    const elsewhere: unknown[] = [];
    const heard = client.subscribe("not.asked", { callback: (_, message) => void elsewhere.push(message.json()) });
    const asked = { agentId: "assistant", sessionId: "t1", input: "hello", replySubject: "not.asked" };
    expect(types(await ask(subjects.aiSdk ?? "", asked)).at(-1)).toBe("finish");
    await client.flush();
    expect(elsewhere).toEqual([]);
    heard.unsubscribe();
  });

  it("takes a decision of an AG-UI client, as a confirmation and as the stream that follows", async () => {
    const { subjects } = await open();
    const asked = await ask(subjects.agUi ?? "", agUi({}, "payer"));
    const outcome = asked.at(-1)?.outcome as { readonly interrupts: readonly { readonly id: string }[] } | undefined;
    const resume = (outcome?.interrupts ?? []).map(({ id }) => ({ interruptId: id, status: "resolved" }));
    const resumed = await ask(subjects.agUi ?? "", agUi({ runId: "r3", messages: [], resume }, "payer"));
    expect([types(resumed)[0], types(resumed).at(-1)]).toEqual(["RUN_STARTED", "RUN_FINISHED"]);
    expect(resumed.at(-1)).toMatchObject({ outcome: { type: "success" } });
  });

  it("keeps the tenants of its callers apart", async () => {
    const { subjects, keys, runtime } = await open({ authenticate: async () => undefined });
    const [one, other] = await Promise.all(
      ["one", "other"].map((tenant) => keys.create({ name: tenant, scopes: ["run", "read", "decide"], tenant })),
    );
    const as = (key: string | undefined, payload: object) =>
      ask(subjects.aiSdk ?? "", payload, { authorization: `Bearer ${key}` });
    const asked = await as(one?.key, { agentId: "payer", sessionId: "t1", input: "pay" });
    const request = asked.find(({ type }) => type === "tool-approval-request");
    const part = { type: "tool-approval-response", approvalId: request?.approvalId, approved: true };
    const decision = { agentId: "payer", id: "t1", messages: [{ id: "a1", role: "assistant", parts: [part] }] };
    await as(other?.key, decision);
    const waiting = runtime.forTenant("one");
    expect((await waiting.runs({ status: "waiting" })).total).toBe(1);
    expect(await as(one?.key, decision)).toMatchObject([{ status: "decision_forwarded" }]);
  });

  it.each([
    ["aiSdk", "AI SDK"],
    ["agUi", "AG-UI"],
  ] as const)(
    "tells recorded runs with the same meaning as HTTP, also when cut after any event and asked again (%s)",
    async (name, spoken) => {
      const protocol = PROTOCOLS.find((each) => each.name === spoken) ?? fail();
      const bodies: string[] = [];
      const headersOfStream = { "content-type": "text/event-stream" };
      const server = { fetch: async () => new Response(bodies.shift() ?? "", { headers: headersOfStream }) };
      const { subjects } = await open({ server });
      const asked = { agentId: "assistant", sessionId: "t", input: "x", request: {} };
      const hear = (frames: readonly string[]) => {
        bodies.push(frames.join(""));
        return ask(subjects[name] ?? "", asked);
      };
      for (const scene of ALL_SCENES.filter(isCommon)) {
        const frames = encodeScene(protocol, scene);
        const whole = parseFrames(frames.join(""));
        for (const at of scene.events.keys()) {
          // The process of the stream was lost here: the client asks again, and is told of the run from its start.
          const cut = frames.slice(0, at);
          expect(await hear(cut), `${scene.name} up to ${at}`).toEqual(parseFrames(cut.join("")));
        }
        const again = await hear(frames);
        expect(again, scene.name).toEqual(whole);
        expect(protocol.read(again as unknown as typeof whole), scene.name).toEqual(protocol.read(whole));
      }
    },
  );

  it("publishes to the replySubject of the payload when the message has no inbox", async () => {
    const { subjects } = await open();
    const heard = client.subscribe("my.answers");
    const asked = { agentId: "assistant", sessionId: "t1", input: "hello", replySubject: "my.answers" };
    client.publish(subjects.aiSdk ?? "", JSON.stringify(asked));
    const seen: string[] = [];
    for await (const message of heard) {
      const { type } = message.json<Event>();
      seen.push(type);
      if (type === "finish") break;
    }
    expect(seen[0]).toBe("start");
  });

  it("rejects a request without a reply subject, and starts nothing", async () => {
    const { runtime, subjects, problems } = await open();
    const asked = { agentId: "assistant", sessionId: "t1", input: "hello" };
    const refused = [undefined, "a.*", "a.>", "$SYS.x", "with space", "", subjects.aiSdk, 5];
    for (const replySubject of refused)
      client.publish(subjects.aiSdk ?? "", JSON.stringify({ ...asked, replySubject }));
    await eventually(() => expect(problems).toHaveLength(refused.length));
    expect(new Set(problems)).toEqual(new Set([`A request on ${subjects.aiSdk} was rejected: missing reply subject.`]));
    expect((await runtime.runs()).total).toBe(0);
  });

  it("answers a bad request with one error event of its protocol", async () => {
    const { subjects } = await open();
    const asked = { agentId: "assistant", sessionId: "t1", input: "hello" };
    for (const [payload, says] of [
      ["{", "JSON"],
      ["[]", "object"],
      [{ ...asked, agentId: "" }, "agentId"],
      [{ ...asked, sessionId: " " }, "sessionId"],
      [{ ...asked, input: "" }, "input"],
      [{ ...asked, agentId: "nobody" }, "nobody"],
      [{ ...asked, agentId: "../../health" }, ""],
    ] as const) {
      const events = await ask(subjects.aiSdk ?? "", payload);
      expect(events).toEqual([{ type: "error", errorText: expect.stringContaining(says) }]);
    }
    for (const [payload, says] of [
      ["{", "JSON"],
      [{ agentId: "assistant" }, "request"],
      [agUi({}, "nobody"), "nobody"],
      [agUi({ threadId: 5 }), "threadId"],
    ] as const) {
      const events = await ask(subjects.agUi ?? "", payload);
      expect(events).toEqual([{ type: "RUN_ERROR", message: expect.stringContaining(says) }]);
    }
  });

  it("ends the stream where the run waits, and takes the decision with the next request", async () => {
    const { subjects } = await open();
    const events = await ask(subjects.aiSdk ?? "", { agentId: "payer", sessionId: "t1", input: "pay" });
    const request = events.find(({ type }) => type === "tool-approval-request");
    expect(types(events).at(-1)).toBe("finish");
    const part = { type: "tool-approval-response", approvalId: request?.approvalId, approved: true };
    const decided = await ask(subjects.aiSdk ?? "", {
      agentId: "payer",
      id: "t1",
      messages: [{ id: "a1", role: "assistant", parts: [part] }],
    });
    expect(decided).toMatchObject([{ status: "decision_forwarded" }]);
  });

  it("knows its callers by the credentials in the headers of their messages", async () => {
    const { subjects, keys } = await open({ authenticate: async () => undefined });
    const asked = { agentId: "assistant", sessionId: "t1", input: "hello" };
    expect(await ask(subjects.aiSdk ?? "", asked)).toMatchObject([{ type: "error" }]);
    const reader = await keys.create({ name: "reader", scopes: ["read"] });
    const runner = await keys.create({ name: "runner", scopes: ["run", "read"] });
    const as = (key: string) => ask(subjects.aiSdk ?? "", asked, { authorization: `Bearer ${key}` });
    expect(await as(reader.key)).toMatchObject([{ type: "error", errorText: expect.stringContaining("scope") }]);
    expect(types(await as(runner.key)).at(-1)).toBe("finish");
  });

  it("says so when an event is larger than the NATS server accepts", async () => {
    const { subjects } = await open();
    const events = await ask(subjects.aiSdk ?? "", { agentId: "long", sessionId: "t1", input: "x" });
    expect(events.at(-1)).toMatchObject({ type: "error", errorText: expect.stringContaining("larger") });
  });

  it("shares the requests of a queue group, and hands them to the others when one closes", async () => {
    const subjects = { agUi: "shared.ag-ui", aiSdk: "shared.ai-sdk" };
    const [one, two] = [await open({ subjects }), await open({ subjects })];
    const send = (index: number) => ask(subjects.aiSdk, { agentId: "assistant", sessionId: `t${index}`, input: "x" });
    await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
    const [first, second] = [(await one.runtime.runs()).total, (await two.runtime.runs()).total];
    expect(first + second).toBe(20);
    expect(Math.min(first, second)).toBeGreaterThan(0);
    await one.gateway.close();
    for (const index of [20, 21, 22]) expect(types(await send(index)).at(-1)).toBe("finish");
    expect((await two.runtime.runs()).total).toBe(second + 3);
  });
});

function fail(): never {
  throw new Error("There is no such protocol.");
}
