import { describe, expect, it } from "vitest";
import { interceptStore } from "../../runtime/test/support/intercept-store.ts";
import {
  type Chunk,
  RUNS,
  readChunks,
  sendChunks,
  textIn,
  typesOf,
  uiAnswers,
  uiSays,
} from "./support/ai-sdk-client.ts";
import { listenDemo, openDemo, says } from "./support/open-demo.ts";
import { readUntil } from "./support/read-stream.ts";
import { until } from "./support/until.ts";

const CHAT = "/v1/ai-sdk/agents/assistant/chats/t/stream";
const HISTORY = "/v1/ai-sdk/threads/t/messages";
const messageIdIn = (chunks: readonly Chunk[]): string =>
  String(chunks.find(({ type }) => type === "start")?.messageId ?? "");

async function historyOf(ask: (path: string) => Promise<Response>) {
  const { messages } = await (await ask(HISTORY)).json();
  return messages as readonly { readonly id: string; readonly role: string; readonly parts: readonly Chunk[] }[];
}

describe("something said", () => {
  it("is answered with one message, under the headers the pages name", async () => {
    const { post } = await openDemo();
    const response = await post(RUNS, { ...uiSays("hello"), runId: "r1" });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "x-vercel-ai-ui-message-stream": "v1",
      "x-tirea-ai-sdk-version": "v6",
      "x-reprise-run-id": "r1",
      "x-reprise-thread-id": "t",
    });
    const { chunks, isWhole } = readChunks(await response.text());
    expect([isWhole, textIn(chunks), messageIdIn(chunks)]).toEqual([true, "You said: hello", "r1-s1-m"]);
    expect([typesOf(chunks)[0], typesOf(chunks).at(-1)]).toEqual(["start", "finish"]);
  });

  it("takes the older shape of a message too", async () => {
    const demo = await openDemo();
    const body = { id: "thread-1", runId: "run-1", messages: [{ id: "u1", role: "user", content: "hello" }] };
    expect(textIn(await sendChunks(demo, body))).toBe("You said: hello");
  });

  it("under one idempotency key is said once, and streamed again", async () => {
    const { post, runtime } = await openDemo();
    const key = { "idempotency-key": "k" };
    const [first, second] = await Promise.all([post(RUNS, uiSays("hello"), key), post(RUNS, uiSays("hello"), key)]);
    expect(await first.text()).toBe(await second.text());
    expect((await runtime.runs()).total).toBe(1);
  });

  it("keeps a client waiting with comments while the thread is busy", async () => {
    const { post, runtime } = await openDemo({ streams: { heartbeatMs: 10 } });
    const stalled = await post(RUNS, { ...uiSays("stall"), runId: "r1" });
    const second = await post(RUNS, uiSays("hello", { id: "u2" }));
    const reader = second.body?.getReader();
    if (reader === undefined) throw new Error("There is no body.");
    const silence = await readUntil(reader, (text) => text.split(":\n\n").length > 3);
    expect(readChunks(silence).chunks).toEqual([]);
    await (await runtime.run("r1")).cancel();
    const text = await readUntil(reader, (heard) => heard.includes("[DONE]"));
    expect(textIn(readChunks(text).chunks)).toBe("You said: hello");
    expect(typesOf(readChunks(await stalled.text()).chunks).at(-1)).toBe("abort");
  });
});

describe("a question", () => {
  it.each([
    [true, "tool-output-available", "Done."],
    [false, "tool-output-denied", "Done."],
  ])("ends the stream, and its answer %s continues in the same message", async (approved, outcome, said) => {
    const demo = await openDemo();
    const asked = await demo.post(RUNS, uiSays("pay 5"));
    const first = readChunks(await asked.text());
    expect([first.isWhole, typesOf(first.chunks).at(-1)]).toEqual([true, "finish"]);
    expect(typesOf(first.chunks)).toContain("tool-approval-request");
    const second = await sendChunks(demo, uiAnswers(first.chunks, approved));
    expect(messageIdIn(second)).toBe(messageIdIn(first.chunks));
    expect(typesOf(second)).toContain(outcome);
    expect(typesOf(second)).not.toContain("tool-input-start");
    expect(textIn(second)).toBe(said);
    expect((await demo.runtime.runs()).total).toBe(1);
  });

  it("is answered by a page that sends its last message alone", async () => {
    const demo = await openDemo();
    const first = await sendChunks(demo, uiSays("pay 5"));
    // As `uiAnswers` makes it, without the words of the user.
    const { messages, ...rest } = uiAnswers(first, true) as { readonly messages: readonly object[] };
    const second = await sendChunks(demo, { ...rest, messages: messages.slice(-1) });
    expect([messageIdIn(second), textIn(second)]).toEqual([messageIdIn(first), "Done."]);
  });

  it("answered in the words of the pages is told to be passed on", async () => {
    const demo = await openDemo();
    await sendChunks(demo, { ...uiSays("pay 5"), runId: "run-1" });
    const [open] = await demo.runtime.decisions.list();
    const approvalId = open?.ticket?.suspension.id;
    const part = { type: "tool-approval-response", approvalId, approved: true };
    const body = { id: "t", runId: "run-1", messages: [{ role: "assistant", parts: [part] }] };
    const response = await demo.post(RUNS, body);
    expect([response.status, await response.json()]).toEqual([202, { status: "decision_forwarded", threadId: "t" }]);
    expect((await (await demo.runtime.run("run-1")).outcome()).status).toBe("done");
  });

  it("of another run, or of another agent's, is not answered", async () => {
    const demo = await openDemo();
    await sendChunks(demo, { ...uiSays("pay 5"), runId: "run-1" });
    const [open] = await demo.runtime.decisions.list();
    const part = { type: "tool-approval-response", approvalId: open?.ticket?.suspension.id, approved: true };
    const messages = [{ role: "assistant", parts: [part] }];
    // The runtime would find it by its id alone; a client that names the run or the agent means that one.
    expect((await demo.post(RUNS, { id: "t", runId: "run-2", messages })).status).toBe(409);
    expect((await demo.post("/v1/ai-sdk/agents/echo/runs", { id: "t", messages })).status).toBe(409);
    expect((await demo.runtime.decisions.list()).length).toBe(1);
  });

  it("answered twice under one key is answered once, and told again from there", async () => {
    const demo = await openDemo();
    const first = await sendChunks(demo, uiSays("pay 5"));
    const key = { "idempotency-key": "k" };
    const answers = [];
    for (let time = 0; time < 2; time += 1) answers.push(await demo.post(RUNS, uiAnswers(first, true), key));
    const [one, two] = await Promise.all(answers.map((response) => response.text()));
    expect(two).toBe(one);
    expect(textIn(readChunks(one ?? "").chunks)).toBe("Done.");
  });

  it("that is talked over is superseded, and what was decided before it stays done", async () => {
    const demo = await openDemo();
    await sendChunks(demo, { ...uiSays("pay 5"), runId: "r1" });
    expect(textIn(await sendChunks(demo, uiSays("never mind", { id: "u2" })))).toBe("You said: never mind");
    expect(await (await demo.runtime.run("r1")).record()).toMatchObject({ status: "done" });
    expect(await demo.runtime.decisions.list()).toEqual([]);
  });
});

describe("another answer", () => {
  it("takes the place of the old one, by any id of its messages", async () => {
    const demo = await openDemo();
    await sendChunks(demo, { ...uiSays("pay 5"), runId: "r1" });
    const [open] = await demo.runtime.decisions.list();
    await demo.runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    await (await demo.runtime.run("r1")).outcome();
    const stored = (await demo.runtime.threads.messages("t")).messages.map(({ id }) => id);
    expect(stored).toEqual(["u1", "r1-s1-m", "r1-s1-c0-r", "r1-s2-m"]);
    for (const [index, messageId] of stored.entries()) {
      const run = `again-${index}`;
      await sendChunks(demo, { id: "t", runId: run, trigger: "regenerate-message", messageId });
      expect((await demo.runtime.threads.messages("t")).messages.map(({ id }) => id)).toEqual(["u1", `${run}-s1-m`]);
      expect((await historyOf(demo.ask)).map(({ id }) => id)).toEqual(["u1", `${run}-s1-m`]);
    }
    const whole = await demo.runtime.threads.messages("t", { includeSuperseded: true });
    expect(whole.messages.map(({ id }) => id)).toEqual(expect.arrayContaining(stored));
  });

  it("is given for an answer that broke off before anything was stored", async () => {
    const demo = await openDemo();
    const broken = await sendChunks(demo, { ...uiSays("fail"), runId: "r1" });
    expect(typesOf(broken)).toContain("error");
    const messageId = messageIdIn(broken);
    const again = await sendChunks(demo, { id: "t", trigger: "regenerate-message", messageId });
    expect(typesOf(again)).toContain("error");
    expect((await historyOf(demo.ask)).filter(({ role }) => role === "user").length).toBe(1);
  });

  it("is not given to what a fork brought along, and to what was said on it it is", async () => {
    const demo = await openDemo();
    await sendChunks(demo, { ...uiSays("one"), runId: "r1" });
    await demo.runtime.threads.fork("t", { threadId: "f" });
    for (const messageId of ["u1", "r1-s1-m"]) {
      const response = await demo.post(RUNS, { id: "f", trigger: "regenerate-message", messageId });
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: "bad request: messageId is not a message of thread f" },
      ]);
    }
    await sendChunks(demo, { ...uiSays("two", { id: "u2" }), id: "f" });
    const again = await sendChunks(demo, { id: "f", trigger: "regenerate-message", messageId: "u2" });
    expect(textIn(again)).toBe("You said: two");
  });

  it("is given while the old one is still being given", async () => {
    const demo = await openDemo();
    const stalled = await demo.post(RUNS, { ...uiSays("stall"), runId: "r1" });
    const body = { id: "t", runId: "r2", trigger: "regenerate-message", messageId: "r1-s1-m" };
    const again = await demo.post(RUNS, body);
    expect(typesOf(readChunks(await stalled.text()).chunks).at(-1)).toBe("abort");
    await (await demo.runtime.run("r2")).cancel();
    expect(typesOf(readChunks(await again.text()).chunks).at(-1)).toBe("abort");
  });
});

describe("something said in another way", () => {
  it("takes the place of what was said and all that followed, under the same id, as often as one likes", async () => {
    const demo = await openDemo();
    await sendChunks(demo, uiSays("one"));
    await sendChunks(demo, uiSays("two", { id: "u2" }));
    await sendChunks(demo, uiSays("three", { id: "u3" }));
    for (const text of ["other", "yet another"]) {
      const chunks = await sendChunks(demo, uiSays(text, { id: "u2", messageId: "u2" }));
      expect(textIn(chunks)).toBe(`You said: ${text}`);
      const history = await historyOf(demo.ask);
      expect(history.map(({ id, role }) => (role === "user" ? id : role))).toEqual([
        "u1",
        "assistant",
        "u2",
        "assistant",
      ]);
      expect(history[2]?.parts).toEqual([{ type: "text", text }]);
    }
  });

  it("takes the place of what was said also after that was answered anew", async () => {
    const demo = await openDemo();
    await sendChunks(demo, uiSays("one"));
    await sendChunks(demo, { id: "t", trigger: "regenerate-message", messageId: "u1" });
    await sendChunks(demo, uiSays("other", { messageId: "u1" }));
    expect((await historyOf(demo.ask)).map(({ parts }) => parts.find(({ type }) => type === "text")?.text)).toEqual([
      "other",
      "You said: other",
    ]);
  });

  it("under one idempotency key is said once", async () => {
    const demo = await openDemo();
    await sendChunks(demo, uiSays("one"));
    const texts = [];
    for (let time = 0; time < 2; time += 1) {
      const body = uiSays("other", { id: "u1", messageId: "u1" });
      texts.push(await (await demo.post(RUNS, body, { "idempotency-key": "k" })).text());
    }
    expect(texts[1]).toBe(texts[0]);
    expect((await demo.runtime.runs()).total).toBe(2);
  });

  it("is simply said when the thread has no such message", async () => {
    const demo = await openDemo();
    expect(textIn(await sendChunks(demo, uiSays("hello", { messageId: "u1" })))).toBe("You said: hello");
  });
});

describe("a client that comes back", () => {
  it.each([CHAT, CHAT.replace("chats", "runs")])(
    "gets the run from its start at %s, while it is open",
    async (path) => {
      const demo = await openDemo();
      expect((await demo.ask(path)).status).toBe(204);
      const first = await demo.post(RUNS, { ...uiSays("stall"), runId: "r1" });
      const reader = first.body?.getReader();
      if (reader === undefined) throw new Error("There is no body.");
      await readUntil(reader, (text) => text.includes("text-delta"));
      await reader.cancel();
      const back = await demo.ask(path);
      expect([back.status, back.headers.get("x-vercel-ai-ui-message-stream")]).toEqual([200, "v1"]);
      await (await demo.runtime.run("r1")).cancel();
      const { chunks } = readChunks(await back.text());
      expect([typesOf(chunks)[0], textIn(chunks), typesOf(chunks).at(-1)]).toEqual(["start", "Wait", "abort"]);
      const idle = await demo.ask(path);
      expect([idle.status, await idle.text()]).toEqual([204, ""]);
    },
  );

  it("finds nothing while the run waits for it, and the rest once it was answered, before anybody took it up", async () => {
    let isHeld = false;
    const demo = await openDemo({
      wrapStore: (store) =>
        interceptStore(store, {
          operator: (inner) => ({ claim: async (wanted) => (isHeld ? [] : inner.claim(wanted)) }),
        }),
    });
    const first = await sendChunks(demo, { ...uiSays("pay 5"), runId: "r1" });
    expect((await demo.ask(CHAT)).status).toBe(204);
    isHeld = true;
    const [open] = await demo.runtime.decisions.list();
    await demo.runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    expect((await demo.ask("/v1/ai-sdk/agents/echo/chats/t/stream")).status).toBe(204);
    const back = await demo.ask(CHAT);
    expect(back.status).toBe(200);
    isHeld = false;
    // Whatever is new on the thread makes the runtime look again.
    await demo.runtime.threads.update("t", { title: "x" });
    await demo.post("/v1/runs", says("hello", { threadId: "other" }));
    const { chunks } = readChunks(await back.text());
    expect(chunks.slice(0, first.length)).toEqual(first);
    expect(textIn(chunks)).toBe("Done.");
  });

  it("finds its run when that has not begun", async () => {
    const demo = await openDemo();
    await demo.post("/v1/ai-sdk/agents/echo/runs", { ...uiSays("stall"), runId: "r1" });
    await demo.post(RUNS, uiSays("hello", { id: "u2" }));
    const back = await demo.ask(CHAT);
    await (await demo.runtime.run("r1")).cancel();
    expect(textIn(readChunks(await back.text()).chunks)).toBe("You said: hello");
  });

  it("never stopped its run by going", async () => {
    const demo = await openDemo();
    const { url } = await listenDemo(demo.server);
    const control = new AbortController();
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ ...uiSays("stall"), runId: "r1" });
    await fetch(url + RUNS, { method: "POST", headers, body, signal: control.signal });
    control.abort();
    await until(async () => (await (await demo.ask("/metrics")).text()).includes("streams_open 0"), "the client to go");
    const run = await demo.runtime.run("r1");
    expect((await run.record()).status).toBe("running");
    await run.cancel();
    await run.outcome();
  });
});

describe("the history", () => {
  it("is what the streams said, question included, and comes in parts for who asks", async () => {
    const demo = await openDemo();
    for (const [index, text] of ["one", "two", "three"].entries()) {
      await sendChunks(demo, uiSays(text, { id: `u${index}` }));
    }
    const asked = await sendChunks(demo, uiSays("pay 5", { id: "u9" }));
    const all = await historyOf(demo.ask);
    expect(all.length).toBe(8);
    expect(all.at(-1)?.id).toBe(messageIdIn(asked));
    expect(all.at(-1)?.parts.find(({ type }) => type === "tool-pay")).toMatchObject({ state: "approval-requested" });
    const newest = await (await demo.ask(`${HISTORY}?limit=3`)).json();
    expect(newest).toEqual({ messages: all.slice(5), has_more: true });
    const before = await (await demo.ask(`${HISTORY}?limit=200&before=${all[5]?.id}`)).json();
    expect(before).toEqual({ messages: all.slice(0, 5), has_more: false });
    expect((await demo.ask(`${HISTORY}?before=nobody`)).status).toBe(400);
  });
});

describe("files", () => {
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  it("inside of a message go into the blob store, and come out at an address of this server", async () => {
    const demo = await openDemo();
    const file = { type: "file", url: `data:image/png;base64,${pixel}`, mediaType: "image/png", filename: "dot.png" };
    const parts = [{ type: "text", text: "look" }, file];
    await sendChunks(demo, { id: "t", messages: [{ id: "u1", role: "user", parts }] });
    const { messages } = await demo.runtime.threads.messages("t");
    // Parts, because a file is among them.
    const [, stored] = (messages[0]?.content ?? []) as readonly { readonly url?: string }[];
    expect(stored).toEqual({
      type: "image",
      url: expect.stringMatching(/^blob:[0-9a-f]{64}$/),
      media_type: "image/png",
      filename: "dot.png",
    });
    expect((await demo.runtime.threads.changesets("t"))[0]?.blob_refs).toEqual([stored?.url]);
    const [said] = await historyOf(demo.ask);
    const url = String(said?.parts[1]?.url);
    expect(url).toBe(`http://localhost/v1/blobs/${stored?.url?.slice(5)}`);
    const bytes = await (await demo.ask(url.slice("http://localhost".length))).arrayBuffer();
    expect(Buffer.from(bytes).toString("base64")).toBe(pixel);

    // A page that sends the message again sends the address.
    const again = { id: "t2", messages: [{ id: "u1", role: "user", parts: said?.parts }] };
    await sendChunks(demo, again);
    const copy = (await demo.runtime.threads.messages("t2")).messages[0];
    expect(copy?.content).toEqual(messages[0]?.content);
  });

  it("have the address that browsers are told to use", async () => {
    const demo = await openDemo({ publicUrl: "https://agents.example.com/api/" });
    const parts = [{ type: "file", url: "data:text/plain,hello", mediaType: "text/plain" }];
    await sendChunks(demo, { id: "t", messages: [{ id: "u1", role: "user", parts }] });
    const [said] = await historyOf(demo.ask);
    expect(said?.parts[0]?.url).toMatch(/^https:\/\/agents\.example\.com\/api\/v1\/blobs\/[0-9a-f]{64}$/);
  });
});
