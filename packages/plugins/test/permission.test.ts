import { changeState, type DecisionVerb, type PermissionFact, RepriseError, toolEffect } from "@reprise/contracts";
import {
  type PermissionOptions,
  permission,
  permissionGrants,
  permissionPolicy,
  previewPermission,
  rememberedRules,
} from "@reprise/plugins/permission";
import { toolPolicy } from "@reprise/plugins/tool-policy";
import { defineTool, type RunHandle, type Runtime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { type OpenOptions, openAgent } from "./support/open-agent.ts";

/** A tool that notes what it was executed with. */
function createTool(id: string, ran: Json[]) {
  return defineTool({
    id,
    description: `Does ${id}.`,
    inputSchema: { type: "object", additionalProperties: true },
    execute: (input: { readonly [key: string]: Json }) => {
      ran.push({ [id]: input });
      return "ok";
    },
  });
}

type Call = readonly [tool: string, given?: { readonly [key: string]: Json }];

/** An agent with the tools `read`, `write` and `bash`, whose model makes these calls, one per step. */
async function open(options: PermissionOptions | undefined, calls: readonly Call[], more: OpenOptions = {}) {
  const ran: Json[] = [];
  const tools = ["read", "write", "bash"].map((id) => createTool(id, ran));
  const script = [...calls.map(([call, given = {}]) => [{ call, arguments: given }] as const), "done"];
  const bench = await openAgent({
    script,
    plugins: options === undefined ? [] : [permission(options)],
    ...more,
    tools: [...tools, ...(more.tools ?? [])],
  });
  return { ...bench, ran };
}

async function factsOf(run: RunHandle): Promise<readonly PermissionFact[]> {
  const events = await Array.fromAsync(run.events());
  return events.flatMap((event) => (event.type === "permission_evaluated" ? [event.data] : []));
}

async function decideFirst(runtime: Runtime, verb: DecisionVerb) {
  const [open] = await runtime.decisions.list();
  await runtime.decisions.decide(open?.id ?? "", verb);
  return open;
}

const start = (runtime: Runtime, threadId = "t1") => runtime.start({ agent: "agent", threadId, input: "go" });

describe("a call", () => {
  it("runs when a rule allows it, is refused when one denies it, and each evaluation is an event", async () => {
    const rules = [
      { tool: "read", behavior: "allow" },
      { tool: "bash(rm *)", behavior: "deny", reason: "Nothing is deleted here." },
      { tool: "bash", behavior: "allow" },
    ] as const;
    const { runtime, ran, model, verify } = await open({ rules }, [
      ["read"],
      ["bash", { command: "rm -rf /" }],
      ["bash", { command: "ls" }],
    ]);
    const run = await start(runtime);
    const outcome = await run.outcome();
    expect(outcome.status).toBe("done");
    expect(ran).toEqual([{ read: {} }, { bash: { command: "ls" } }]);
    expect(JSON.stringify(model.requests[2]?.messages.at(-1))).toContain("Nothing is deleted here.");
    expect(await factsOf(run)).toMatchObject([
      { tool_id: "read", decision: "allow", source: "rule", rule: "read", scope: "settings", plugin: "permission" },
      { tool_id: "bash", decision: "deny", rule: "bash(rm *)" },
      { tool_id: "bash", decision: "allow", rule: "bash" },
    ]);
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });

  it("is asked about unless a rule says otherwise, with what will run and what an answer covers", async () => {
    const { runtime, ran, verify } = await open({}, [["write", { path: "/a" }]]);
    const run = await start(runtime);
    expect(await run.outcome()).toMatchObject({ status: "waiting" });
    const question = await decideFirst(runtime, { action: "approve" });
    const callId = question?.id ?? "";
    expect(question?.ticket).toMatchObject({
      asked_by: "plugin:permission",
      resume_mode: "replay_tool_call",
      suspension: {
        action: "tool:PermissionConfirm",
        message: "Permission required to run tool 'write'",
        parameters: { tool_name: "write", tool_args: { path: "/a" }, remembers: "write" },
        response_schema: { required: ["approved"] },
      },
      pending: {
        id: `fc_${callId}`,
        name: "PermissionConfirm",
        arguments: { tool_name: "write", tool_args: { path: "/a" } },
      },
    });
    const outcome = await run.outcome();
    expect(outcome.status).toBe("done");
    expect(ran).toEqual([{ write: { path: "/a" } }]);
    const facts = await factsOf(run);
    expect(facts.map(({ decision, source }) => [decision, source])).toEqual([
      ["ask", "default"],
      ["allow", "decision"],
    ]);
    expect(facts[1]?.decision_id).toBe(`decision_${callId}_1`);
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });

  it("is decided by the id of its pending call, in the words of front ends", async () => {
    const { runtime, ran } = await open({}, [["write"]]);
    const run = await start(runtime);
    await run.outcome();
    const [asked] = await runtime.decisions.list();
    const answer = { target_id: `fc_${asked?.id}`, action: "resume", result: { approved: true } } as const;
    await runtime.decisions.forward(run.id, [answer]);
    expect(await run.outcome()).toMatchObject({ status: "done" });
    expect(ran).toEqual([{ write: {} }]);
  });

  it("does not run when the question expires, and the model reads so", async () => {
    const { runtime, ran, env, model } = await open({ askExpiresInMs: 60_000 }, [["write"]]);
    const run = await start(runtime);
    await run.outcome();
    expect((await runtime.decisions.list())[0]?.expires_at).toBe(env.clock.now() + 60_000);
    await env.advance(70_000);
    expect(await run.outcome()).toMatchObject({ status: "done" });
    expect(ran).toEqual([]);
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("expired");
  });
});

describe("precedence", () => {
  it.each([
    [["bash", "allow"], ["*", "deny"], "deny", "*"],
    [["bash", "ask"], ["*", "allow"], "allow", "*"],
    [["bash(npm *)", "ask"], ["bash", "deny"], "deny", "bash"],
    [["bash", "deny"], ["bash(npm *)", "deny"], "deny", "bash(npm *)"],
    [["/bash/", "allow"], ["b*", "allow"], "allow", "b*"],
    [["b*", "allow"], ["bash", "allow"], "allow", "bash"],
    [
      ['bash(command ~ "npm*")', "allow"],
      ['bash(command = "npm test")', "allow"],
      "allow",
      'bash(command = "npm test")',
    ],
    [["write", "allow"], ["read", "deny"], "ask", undefined],
  ] as const)("of %j and %j is %s by %s, in either order", (one, other, decision, rule) => {
    const rules = [one, other].map(([tool, behavior]) => ({ tool, behavior }));
    const call = { tool: "bash", arguments: { command: "npm test" } };
    expect(previewPermission({ rules }, call)).toMatchObject({ decision, ...(rule !== undefined && { rule }) });
    expect(previewPermission({ rules: rules.toReversed() }, call).decision).toBe(decision);
  });

  it("leaves a call without a rule to the default", () => {
    expect(previewPermission({ default: "deny" }, { tool: "x" })).toEqual({ decision: "deny" });
    expect(previewPermission({}, { tool: "x" })).toEqual({ decision: "ask" });
  });
});

describe("a decision that is remembered", () => {
  it("once is about one call", async () => {
    const { runtime } = await open({}, [["write"], ["write"]]);
    const run = await start(runtime);
    await run.outcome();
    await decideFirst(runtime, { action: "approve", remember: "once" });
    expect(await run.outcome()).toMatchObject({ status: "waiting" });
  });

  it("for the thread allows later calls of the tool there, and nowhere else", async () => {
    const { runtime, ran, verify } = await open({}, [["write"], ["write"]]);
    const run = await start(runtime);
    await run.outcome();
    await decideFirst(runtime, { action: "approve", remember: "thread" });
    const outcome = await run.outcome();
    expect(outcome.status).toBe("done");
    expect(ran).toHaveLength(2);
    expect((await factsOf(run)).at(-1)).toMatchObject({ decision: "allow", rule: "write", scope: "thread" });
    expect(await verify(outcome)).toMatchObject({ equal: true });
    const hand = { agent: "agent", tool: "write" } as const;
    expect(await (await runtime.callTool({ ...hand, threadId: "t1" })).outcome()).toMatchObject({ status: "done" });
    expect(await (await runtime.callTool({ ...hand, threadId: "t2" })).outcome()).toMatchObject({ status: "waiting" });
  });

  it("always allows later calls on every thread of the same user, until the host takes it back", async () => {
    const { runtime, verify } = await open({}, [], {
      script: ({ messages }) => (messages.at(-1)?.role === "user" ? [{ call: "write" }] : "done"),
    });
    const begin = async (threadId: string, resourceId: string) => {
      const run = await runtime.start({ agent: "agent", threadId, resourceId, input: "go" });
      const { status } = await run.outcome();
      return { run, status };
    };
    const { run } = await begin("t1", "user/ada");
    await decideFirst(runtime, { action: "approve", remember: "always" });
    const outcome = await run.outcome();
    expect(outcome.status).toBe("done");
    expect(await verify(outcome)).toMatchObject({ equal: true });
    const other = await begin("t2", "user/ada");
    expect(other.status).toBe("done");
    expect(await factsOf(other.run)).toMatchObject([{ decision: "allow", scope: "always", rule: "write" }]);
    expect((await begin("t3", "user/bob")).status).toBe("waiting");
    const rules = rememberedRules(runtime.documents, { agentId: "agent", resourceId: "user/ada" });
    expect(await rules.list()).toEqual([{ tool: "write", behavior: "allow" }]);
    expect(await rules.remove("write")).toBe(true);
    expect(await rules.remove("write")).toBe(false);
    expect((await begin("t4", "user/ada")).status).toBe("waiting");
  });

  it("denies later calls and hides the tool when it was a no", async () => {
    const { runtime, ran, model, verify } = await open({}, [["write"], ["write"]]);
    const run = await start(runtime);
    await run.outcome();
    await decideFirst(runtime, { action: "deny", remember: true });
    const outcome = await run.outcome();
    expect(outcome.status).toBe("done");
    expect(ran).toEqual([]);
    expect(model.requests.map(({ tools }) => tools.some(({ id }) => id === "write"))).toEqual([true, false, false]);
    expect(await verify(outcome)).toMatchObject({ equal: true });
  });

  it("covers the calls that the rule asks about, and not the whole tool", async () => {
    const rules = [{ tool: "bash(git *)", behavior: "ask" }] as const;
    const { runtime } = await open({ rules }, [
      ["bash", { command: "git push" }],
      ["bash", { command: "git pull" }],
      ["bash", { command: "rm x" }],
    ]);
    const run = await start(runtime);
    await run.outcome();
    await decideFirst(runtime, { action: "approve", remember: "thread" });
    expect(await run.outcome()).toMatchObject({ status: "waiting", open: [{ arguments: { command: "rm x" } }] });
  });
});

describe("grants", () => {
  const unlock = (expiresAt?: number) =>
    defineTool({
      id: "unlock",
      description: "Unlocks writing.",
      execute: () =>
        toolEffect("unlocked", [
          changeState(permissionGrants.grant("write", expiresAt === undefined ? {} : { expiresAt })),
        ]),
    });
  const rules = [{ tool: "unlock", behavior: "allow" }] as const;

  it("of a tool last for the run", async () => {
    const { runtime, ran, verify } = await open({ rules }, [["unlock"], ["write"]], { tools: [unlock()] });
    const run = await start(runtime);
    const outcome = await run.outcome();
    expect(outcome.status).toBe("done");
    expect(ran).toEqual([{ write: {} }]);
    expect((await factsOf(run)).at(-1)).toMatchObject({ decision: "allow", scope: "run" });
    expect(await verify(outcome)).toMatchObject({ equal: true });
    const preview = await runtime.previewCall({ agent: "agent", tool: "write", arguments: {}, threadId: "t1" });
    expect(preview.decision).toBe("ask");
    const later = await runtime.callTool({ agent: "agent", tool: "write", threadId: "t1" });
    expect(await later.outcome()).toMatchObject({ status: "waiting" });
  });

  it("end at their time", async () => {
    const { runtime } = await open({ rules }, [["unlock"], ["write"]], { tools: [unlock(1)] });
    expect(await (await start(runtime)).outcome()).toMatchObject({ status: "waiting" });
  });

  it("do not beat a deny", async () => {
    const denying = [...rules, { tool: "write", behavior: "deny" }] as const;
    const { runtime, ran } = await open({ rules: denying }, [["unlock"], ["write"]], { tools: [unlock()] });
    expect(await (await start(runtime)).outcome()).toMatchObject({ status: "done" });
    expect(ran).toEqual([]);
  });
});

describe("the policy of a thread", () => {
  it("is set by actions: the default, one tool, a rule with an end", async () => {
    const configure = defineTool({
      id: "configure",
      description: "Configures.",
      execute: (_, { state, now }) => {
        state.apply(permissionPolicy.setDefault("allow"));
        state.apply(permissionPolicy.setTool("bash", "deny"));
        state.apply(
          permissionPolicy.setRule({ tool: 'read(path ~ "/etc/*")', behavior: "ask", expiresAt: now + 60_000 }),
        );
      },
    });
    const rules = [{ tool: "configure", behavior: "allow" }] as const;
    const calls: Call[] = [["configure"], ["write"], ["bash"], ["read", { path: "/etc/x" }]];
    const { runtime, ran } = await open({ rules }, calls, { tools: [configure] });
    const run = await start(runtime);
    expect(await run.outcome()).toMatchObject({ status: "waiting", open: [{ tool_id: "read" }] });
    expect(ran).toEqual([{ write: {} }]);
  });

  it("refuses what is no rule", async () => {
    for (const wrong of [
      permissionPolicy.setTool("read*", "allow"),
      permissionPolicy.setRule({ tool: "read(", behavior: "allow" }),
      // Neither compiles.
      permissionPolicy.setDefault("maybe" as never),
      permissionPolicy.setRule({ tool: "read", behavior: "allow", expiresAt: "soon" as never }),
    ])
      expect(() => permissionPolicy.reduce({}, wrong)).toThrow(RepriseError);
    expect(() => permissionGrants.reduce({}, permissionGrants.grant("/(/"))).toThrow("RE2");
  });
});

describe("a tool that is always denied", () => {
  it.each([
    [{ rules: [{ tool: "write", behavior: "deny" }] }, ["read", "bash"]],
    [{ rules: [{ tool: "/^w/", behavior: "deny" }] }, ["read", "bash"]],
    [{ rules: [{ tool: "write(*)", behavior: "deny" }] }, ["read", "bash"]],
    [{ rules: [{ tool: 'write(x = "1")', behavior: "deny" }] }, ["read", "write", "bash"]],
    [{ default: "deny", rules: [{ tool: "bash(ls)", behavior: "allow" }] }, ["bash"]],
  ] as const)("is hidden from the model: %j", async (options, offered) => {
    const { run, model } = await open(options, []);
    await run();
    expect(model.requests[0]?.tools.map(({ id }) => id)).toEqual(offered);
  });
});

describe("preview", () => {
  it("says what would happen and by which rule, without a run", async () => {
    const rules = [{ tool: "read", behavior: "allow" }] as const;
    const { runtime, ran } = await open({ rules }, []);
    const allowed = await runtime.previewCall({ agent: "agent", tool: "read", arguments: {} });
    expect(allowed).toMatchObject({ decision: "allow", evaluated: [{ rule: "read", scope: "settings" }] });
    const asked = await runtime.previewCall({ agent: "agent", tool: "write", arguments: {} });
    expect(asked).toMatchObject({ decision: "ask", source: "plugin:permission", evaluated: [{ source: "default" }] });
    expect(ran).toEqual([]);
    expect(await runtime.decisions.list()).toEqual([]);
  });
});

describe("settings", () => {
  it("come from a configuration file as well", async () => {
    const ran: Json[] = [];
    const bench = await openAgent({
      tools: ["read", "write"].map((id) => createTool(id, ran)),
      script: [[{ call: "read" }], [{ call: "write" }], "done"],
      configured: {
        plugin_ids: ["tool_policy", "permission"],
        sections: {
          permission: { default: "deny", rules: [{ tool: "read", behavior: "allow" }] },
          tool_policy: { excluded_tools: ["never_*"] },
        },
      },
    });
    const outcome = await bench.run();
    expect(outcome.status).toBe("done");
    expect(ran).toEqual([{ read: {} }]);
    expect(await bench.verify(outcome)).toMatchObject({ equal: true });
  });

  it("that cannot be read are refused before anything runs", async () => {
    const wrong = { rules: [{ tool: "/(?=x)/", behavior: "allow" }] } as const;
    expect(() => permission(wrong)).toThrow(RepriseError);
    expect(() => permission(wrong)).toThrow("rules[0].tool");
    const configured = { plugin_ids: ["permission"], sections: { permission: wrong } };
    await expect(openAgent({ configured })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringContaining("lookaround"),
    });
    expect(() => toolPolicy({ allowedTools: ["bash(ls)"] })).toThrow("permission");
  });
});

describe("tool_policy", () => {
  it.each([[["tool_policy", "permission"]], [["permission", "tool_policy"]]])(
    "refuses what is out of scope before a person is asked, in the order %j",
    async (order) => {
      const plugins = [toolPolicy({ allowedTools: ["read", "b*"], excludedTools: ["/ash$/"] }), permission()];
      const sorted = order.map((id) => plugins.find((plugin) => plugin.id === id)).flatMap((plugin) => plugin ?? []);
      const { runtime, ran, model } = await open(undefined, [["bash"], ["write"]], { plugins: sorted });
      const run = await start(runtime);
      expect(await run.outcome()).toMatchObject({ status: "done" });
      expect(ran).toEqual([]);
      expect(model.requests[0]?.tools.map(({ id }) => id)).toEqual(["read"]);
      const hand = await runtime.callTool({ agent: "agent", tool: "write" });
      expect(await hand.outcome()).toMatchObject({ status: "done" });
      expect(await factsOf(hand)).toContainEqual(
        expect.objectContaining({ plugin: "tool_policy", decision: "deny", rule: "allowed_tools" }),
      );
      expect(ran).toEqual([]);
    },
  );
});
