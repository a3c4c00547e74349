import { describe, expect, it } from "vitest";
import type { Scope } from "../src/security/principal.ts";
import { AG_UI_RUNS, agUiInput, agUiSays, interruptsIn, readAgUi } from "./support/ag-ui-client.ts";
import { openDemo } from "./support/open-demo.ts";

describe("AG-UI, as its pages list them", () => {
  it.each([
    ["empty threadId -> 400", { ...agUiSays("r", "x"), threadId: "" }, "bad request: threadId cannot be empty"],
    ["no threadId -> 400", { runId: "r", messages: [] }, "bad request: threadId cannot be empty"],
    ["empty runId -> 400", { ...agUiSays("r", "x"), runId: "" }, "bad request: runId cannot be empty"],
    ["no runId -> 400", { threadId: "t", messages: [] }, "bad request: runId cannot be empty"],
    ["a message rule -> 400", { ...agUiSays("r", "x"), messages: "x" }, "bad request: messages must be an array"],
    [
      "a decision rule -> 400",
      agUiInput("r", { resume: [{ interruptId: "q", status: "perhaps" }] }),
      "bad request: resume: status must be resolved or cancelled",
    ],
  ])("%s", async (_, body, error) => {
    const { post, runtime } = await openDemo();
    const response = await post(AG_UI_RUNS, body);
    expect([response.status, await response.json()]).toEqual([400, { error }]);
    expect((await runtime.runs()).total).toBe(0);
  });

  it.each([
    ["POST", "/v1/ag-ui/agents/nobody/runs"],
    ["GET", "/v1/ag-ui/agents/nobody/capabilities"],
    ["GET", "/v1/ag-ui/agents/nobody/threads/t/stream"],
  ])("unknown agent_id -> 404, for %s %s", async (method, path) => {
    const { ask } = await openDemo();
    const body = method === "POST" ? { body: JSON.stringify(agUiSays("r", "x")) } : {};
    const response = await ask(path, { method, headers: { "content-type": "application/json" }, ...body });
    expect([response.status, await response.json()]).toEqual([404, { error: "agent not found: nobody" }]);
  });

  it("unknown thread -> 404, of its history", async () => {
    const { ask } = await openDemo();
    const response = await ask("/v1/ag-ui/threads/none/messages");
    expect([response.status, await response.json()]).toEqual([404, { error: "thread not found: none" }]);
  });

  it.each([
    ["state of the runtime", { state: { __run: {} } }, "__run"],
    ["a policy", { state: { permission_policy: {} } }, "permission_policy"],
    ["a tool that no model can call", { tools: [{ name: "a b", description: "" }] }, "letters, digits"],
  ])("%s from a client -> 400", async (_, more, problem) => {
    const { post } = await openDemo();
    const response = await post(AG_UI_RUNS, agUiSays("r", "x", more));
    expect([response.status, (await response.json()).error]).toEqual([400, expect.stringContaining(problem)]);
  });
});

/** Everybody is who the header says, with the scopes it says: `alice:run,read`, of the tenant behind the @. */
const bySaying = async (headers: Headers) => {
  const [who = "", scopes = ""] = (headers.get("authorization") ?? "").split(":");
  const [id = "", tenant] = who.split("@");
  return { id, scopes: scopes.split(",") as Scope[], ...(tenant !== undefined && { tenant }) };
};
const as = (who: string) => ({ authorization: who });
const open = () => openDemo({ authenticate: bySaying });

describe("another client", () => {
  it("without the scope read does not see an earlier run by guessing its id, nor the state of a thread", async () => {
    const demo = await open();
    const secret = { state: { secret: 42 } };
    await (await demo.post(AG_UI_RUNS, agUiSays("r1", "hello", secret), as("alice:run,read"))).text();
    const guessed = await demo.post(AG_UI_RUNS, agUiSays("r1", "hello", secret), as("mallory:run"));
    expect([guessed.status, await guessed.json()]).toEqual([403, { error: "forbidden: this needs the scope read" }]);
    const said = await (await demo.post(AG_UI_RUNS, agUiSays("r2", "hi"), as("mallory:run"))).text();
    expect(said).not.toContain("42");
    expect(readAgUi(said).at(-1)?.type).toBe("RUN_FINISHED");
  });

  it("without the scope decide answers no question, and without read gets nothing of the run by answering", async () => {
    const demo = await open();
    const asked = await demo.post(AG_UI_RUNS, agUiSays("r1", "pay 5"), as("alice:run,read"));
    const [question] = interruptsIn(readAgUi(await asked.text()));
    const resume = agUiInput("r2", { resume: [{ interruptId: question?.id, status: "resolved" }] });
    for (const scopes of ["run", "run,read", "run,decide"]) {
      expect((await demo.post(AG_UI_RUNS, resume, as(`mallory:${scopes}`))).status, scopes).toBe(403);
    }
    const guess = agUiInput("r2", { resume: [{ interruptId: "nobody", status: "resolved" }] });
    expect((await demo.post(AG_UI_RUNS, guess, as("mallory:run,decide"))).status).toBe(403);
    expect(await demo.runtime.decisions.list()).toHaveLength(1);
  });

  it("of another tenant finds neither the thread nor its questions", async () => {
    const demo = await open();
    const asked = await demo.post(AG_UI_RUNS, agUiSays("r1", "pay 5"), as("alice@one:run,read"));
    const [question] = interruptsIn(readAgUi(await asked.text()));
    const mallory = as("mallory@two:run,read,decide");
    const resume = agUiInput("r2", { resume: [{ interruptId: question?.id, status: "resolved" }] });
    const answered = await (await demo.post(AG_UI_RUNS, resume, mallory)).text();
    expect(answered).not.toContain("pay");
    expect((await demo.ask("/v1/ag-ui/threads/t/messages", { headers: mallory })).status).toBe(404);
    const connected = await demo.ask("/v1/ag-ui/agents/assistant/threads/t/stream", { headers: mallory });
    expect(await connected.text()).not.toContain("pay");
    expect(await demo.runtime.forTenant("one").decisions.list()).toHaveLength(1);
  });
});
