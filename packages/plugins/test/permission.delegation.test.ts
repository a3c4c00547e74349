import type { Plugin, Store } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { agentTools } from "@reprise/plugins/agent-tools";
import { type PermissionOptions, permission } from "@reprise/plugins/permission";
import { createRuntime, defineAgent, defineTool, type Runtime, sequence } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { createFakeEnv, eventually } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";

const SEND = { call: "send", arguments: { to: "ada@example.com" } };
const ALLOW_ALL: PermissionOptions = { default: "allow" };

interface Team {
  /** The policy of the agent that delegates. */
  readonly lead: PermissionOptions;
  /** The policy of the agent that works; without the plugin unless given. */
  readonly writer?: PermissionOptions;
  /** An agent without a policy that stands between the two: one with a model, or one made of agents. */
  readonly between?: "middle" | "composed";
  readonly background?: boolean;
  /** How often the writer sends, one turn each. */
  readonly times?: number;
}

/** An agent that has a writer send a mail, over one store that runtimes of several processes may share. */
function team({ lead, writer, between, background = false, times = 1 }: Team) {
  const env = createFakeEnv();
  const store: Store = createMemoryStore({ clock: env.clock });
  const blobs = createMemoryBlobStore(env);
  const sent: unknown[] = [];
  const send = defineTool({
    id: "send",
    description: "Sends a mail.",
    inputSchema: { type: "object" },
    execute: (given) => {
      sent.push(given);
      return "sent";
    },
  });
  const models = {
    writer: scriptedModel((_, turn) => (turn <= times ? [SEND] : "written"), "writer"),
  };
  const delegate = (agent_id: string, own: readonly Plugin[]) => ({
    model: scriptedModel(({ messages }) => {
      const isStarted = messages.some(({ role }) => role === "tool");
      return isStarted ? "ok" : [{ call: "agent_run", arguments: { agent_id, prompt: "Write to Ada.", background } }];
    }),
    plugins: [agentTools(), ...own],
  });
  const open = async (): Promise<Runtime> => {
    const runtime = await createRuntime({
      env,
      store,
      blobs,
      agents: [
        defineAgent({ id: "lead", ...delegate(between ?? "writer", [permission(lead)]) }),
        defineAgent({ id: "middle", description: "Passes on.", ...delegate("writer", []) }),
        sequence({ id: "composed", description: "Has it written.", steps: ["writer"] }),
        defineAgent({
          id: "writer",
          description: "Writes.",
          model: models.writer,
          tools: [send],
          plugins: writer === undefined ? [] : [permission(writer)],
        }),
      ],
      limits: { closeTimeoutMs: 1 },
    });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    return runtime;
  };
  return { open, sent, writer: models.writer };
}

async function writerRun(runtime: Runtime): Promise<string> {
  let id = "";
  await eventually(async () => {
    const [run] = (await runtime.runs()).items.filter(({ agent_id }) => agent_id === "writer");
    id = run?.run_id ?? "";
    expect(run?.status).toBe("done");
  });
  return id;
}

const start = { agent: "lead", threadId: "t1", input: "go" };
const DENY_SEND: PermissionOptions = { default: "allow", rules: [{ tool: "send", behavior: "deny" }] };
const ASK_SEND: PermissionOptions = { default: "allow", rules: [{ tool: "send", behavior: "ask" }] };
const DENY_ADA: PermissionOptions = {
  default: "allow",
  rules: [{ tool: 'send(to ~ "ada@*")', behavior: "deny", reason: "Ada has left." }],
};

describe("what the policy of a run denies, the runs below cannot do", () => {
  it.each<[string, Team]>([
    ["a child whose own rules allow it", { lead: DENY_SEND, writer: { rules: [{ tool: "*", behavior: "allow" }] } }],
    ["a child without the plugin", { lead: DENY_SEND }],
    ["a child in the background", { lead: DENY_SEND, writer: ALLOW_ALL, background: true }],
    ["a child of a child", { lead: DENY_SEND, writer: ALLOW_ALL, between: "middle" }],
    ["a step of an agent that is made of agents", { lead: DENY_SEND, between: "composed" }],
    ["a child, under some conditions only", { lead: DENY_ADA, writer: ALLOW_ALL }],
  ])("%s", async (_, given) => {
    const { open, sent, writer } = team(given);
    const runtime = await open();
    expect(await runtime.runToCompletion(start)).toMatchObject({ status: "done" });
    const runId = await writerRun(runtime);
    expect(sent).toEqual([]);
    const offered = writer.requests[0]?.tools.map(({ id }) => id);
    expect(offered).toEqual(given.lead === DENY_ADA ? ["send"] : []);
    expect(await runtime.replay(runId)).toMatchObject({ equal: true });
  });

  it("and what its own policy denies it cannot do either, although the run above may", async () => {
    const { open, sent } = team({ lead: ALLOW_ALL, writer: DENY_SEND });
    const runtime = await open();
    expect(await runtime.runToCompletion(start)).toMatchObject({ status: "done" });
    expect(sent).toEqual([]);
  });
});

describe("what the policy of a run asks about, is asked about in the runs below", () => {
  it.each<[string, Team]>([
    ["in the foreground", { lead: ASK_SEND, writer: ALLOW_ALL }],
    ["in the background", { lead: ASK_SEND, writer: ALLOW_ALL, background: true }],
    ["in a child without the plugin", { lead: ASK_SEND }],
    ["in a child of a child", { lead: ASK_SEND, between: "middle" }],
    ["in a step of an agent that is made of agents", { lead: ASK_SEND, writer: ALLOW_ALL, between: "composed" }],
  ])("%s, and the answer counts after a restart", async (_, given) => {
    const { open, sent } = team(given);
    const before = await open();
    await before.start(start);
    await eventually(async () => expect(await before.decisions.list()).toHaveLength(1));
    await before.close();
    const runtime = await open();
    const [question] = await runtime.decisions.list();
    await runtime.decisions.decide(question?.id ?? "", { action: "approve" });
    const runId = await writerRun(runtime);
    expect(sent).toHaveLength(1);
    expect(await runtime.replay(runId)).toMatchObject({ equal: true });
  });

  it("once, when a person has the answer remembered for the thread", async () => {
    const { open, sent } = team({ lead: ASK_SEND, writer: ALLOW_ALL, times: 3 });
    const runtime = await open();
    await runtime.start(start);
    await eventually(async () => expect(await runtime.decisions.list()).toHaveLength(1));
    const [question] = await runtime.decisions.list();
    await runtime.decisions.decide(question?.id ?? "", { action: "approve", remember: "thread" });
    await writerRun(runtime);
    expect(sent).toHaveLength(3);
  });

  it("and not at all when both policies allow it, or only the run above has one", async () => {
    for (const writer of [ALLOW_ALL, undefined]) {
      const { open, sent } = team({ lead: ALLOW_ALL, ...(writer !== undefined && { writer }) });
      expect(await (await open()).runToCompletion(start)).toMatchObject({ status: "done" });
      expect(sent).toHaveLength(1);
    }
  });
});

it("tells in permission_evaluated that the policy of a run above decided, and a denial of a person ends the call", async () => {
  const { open, sent } = team({ lead: ASK_SEND });
  const runtime = await open();
  const run = await runtime.start(start);
  await eventually(async () => expect(await runtime.decisions.list()).toHaveLength(1));
  const [question] = await runtime.decisions.list();
  await runtime.decisions.decide(question?.id ?? "", { action: "deny", remember: "thread" });
  const writer = await writerRun(runtime);
  const facts: unknown[] = [];
  for await (const event of (await runtime.run(writer)).events())
    if (event.type === "permission_evaluated") facts.push(event.data);
  expect(facts).toMatchObject([{ decision: "ask", rule: "send", scope: "inherited" }]);
  expect(sent).toEqual([]);
  expect(await run.outcome()).toMatchObject({ status: "done" });
});
