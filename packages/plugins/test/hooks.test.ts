import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { RepriseError } from "@reprise/contracts";
import { createEgress } from "@reprise/node";
import { type HooksOptions, hooks } from "@reprise/plugins/hooks";
import { defineTool } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { type OpenOptions, openAgent } from "./support/open-agent.ts";

const executed: string[] = [];
const tool = (id: string, parts: Partial<Parameters<typeof defineTool>[0]> = {}) =>
  defineTool({ id, description: id, inputSchema: { type: "object" }, ...parts, execute: () => void executed.push(id) });
const tools = [tool("write"), tool("read", { class: "read_only" }), tool("wipe", { destructive: true })];

/** A hook that is a program of one line; the call it reads is `input`. */
const script = (line: string): readonly string[] => [
  process.execPath,
  "-e",
  `const input = JSON.parse(require("node:fs").readFileSync(0, "utf8")); ${line}`,
];
const saying = (answer: object): readonly string[] => ["echo", JSON.stringify(answer)];

/** Runs an agent that calls a tool once. */
async function play(toolId: string, options: HooksOptions, more: Partial<OpenOptions> = {}) {
  executed.length = 0;
  const plugins = more.configured === undefined ? [hooks(options)] : [];
  const bench = await openAgent({ plugins, tools, script: [[{ call: toolId }], "done"], ...more });
  const outcome = await bench.run();
  const facts: unknown[] = [];
  for await (const event of (await bench.runtime.run(outcome.run?.run_id ?? "")).events())
    if (event.type === "hook_completed") facts.push(event.data);
  const lastMessage = JSON.stringify(bench.model.requests.at(-1)?.messages.at(-1));
  return { ...bench, outcome, facts, lastMessage, executed: [...executed] };
}

describe("a hook before a call", () => {
  it("is a program that reads the call, and refuses it with a reason that the model reads", async () => {
    const command = script(
      'console.log(JSON.stringify({ decision: "deny", reason: input.point + " " + input.call.tool_id + " " + input.tool.class }))',
    );
    const played = await play("write", { preTool: [{ name: "gate", command }] });
    expect(played.executed).toEqual([]);
    expect(played.lastMessage).toContain("pre_tool write mutating");
    expect(played.facts).toMatchObject([
      { hook: "gate", point: "pre_tool", tool_id: "write", decision: "deny", duration_ms: expect.any(Number) },
    ]);
    expect(await played.verify(played.outcome)).toMatchObject({ equal: true });
  });

  it.each([
    ["an empty answer", ["true"]],
    ["an answer without a decision", saying({})],
    ["allow", saying({ decision: "allow" })],
  ])("lets the call run with %s", async (_, command) => {
    const played = await play("wipe", { preTool: [{ name: "gate", command }] });
    expect(played.executed).toEqual(["wipe"]);
    expect(played.facts).toMatchObject([{ decision: "allow" }]);
  });

  it("has a person decide, and is asked again about arguments that the person edited", async () => {
    const command = script(
      'console.log(JSON.stringify(input.call.arguments.force ? { decision: "deny", reason: "never by force" } : { decision: "ask", reason: "Sure?" }))',
    );
    const asked = await play("write", { preTool: [{ name: "gate", command }] });
    const [question] = asked.outcome.status === "waiting" ? asked.outcome.open : [];
    expect(question).toMatchObject({ ticket: { asked_by: "plugin:hooks", suspension: { message: "Sure?" } } });
    await asked.runtime.decisions.decide(question?.id ?? "", { action: "edit", arguments: { force: true } });
    const outcome = await (await asked.runtime.run(asked.outcome.run?.run_id ?? "")).outcome();
    expect(executed).toEqual([]);
    expect(JSON.stringify(asked.model.requests.at(-1)?.messages)).toContain("never by force");
    expect(await asked.verify(outcome)).toMatchObject({ equal: true });
  });

  it("is asked only about the calls of its pattern", async () => {
    const command = saying({ decision: "deny" });
    const played = await play("read", { preTool: [{ name: "gate", tool: "wr*", command }] });
    expect([played.executed, played.facts]).toEqual([["read"], []]);
  });

  it("is an address that gets the call as a POST", async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (piece) => {
        body += piece;
      });
      request.on("end", () => {
        seen.push([request.method, request.headers.authorization, JSON.parse(body).call.tool_id]);
        response.end(JSON.stringify({ decision: "deny", reason: "not from here" }));
      });
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const hook = { name: "remote", url, headers: { authorization: "Bearer x" } };
    const played = await play("write", { preTool: [hook] }, { egress: createEgress() });
    expect(seen).toEqual([["POST", "Bearer x", "write"]]);
    expect(played.executed).toEqual([]);
    expect(played.lastMessage).toContain("not from here");
    expect(await played.verify(played.outcome)).toMatchObject({ equal: true });
  });
});

describe("a hook that gives no answer", () => {
  const FAILURES: readonly (readonly [string, readonly string[]])[] = [
    ["ends badly", ["false"]],
    ["does not exist", ["/no/such/program"]],
    ["says something else", ["echo", "yes"]],
    ["says a word that is no decision", saying({ decision: "maybe" })],
    ["says too much", script('console.log("x".repeat(100000))')],
    ["takes too long", ["sleep", "60"]],
  ];

  it.each(FAILURES)("keeps a call of a mutating tool from running when it %s", async (_, command) => {
    const played = await play("write", { preTool: [{ name: "gate", command, timeoutMs: 500 }] });
    expect(played.executed).toEqual([]);
    expect(played.facts).toMatchObject([{ decision: "failed" }]);
    expect(played.outcome).toMatchObject({ status: "done", text: "done" });
    expect(await played.verify(played.outcome)).toMatchObject({ equal: true });
  });

  const command = ["false"];
  it.each([
    ["read", undefined, ["read"]],
    ["read", "deny", []],
    ["write", "allow", ["write"]],
    // Whatever the operator says.
    ["wipe", "allow", []],
  ] as const)("with %s and on_failure %s executes %j", async (toolId, onFailure, expected) => {
    const hook = { name: "gate", command, ...(onFailure !== undefined && { onFailure }) };
    expect((await play(toolId, { preTool: [hook] })).executed).toEqual(expected);
  });
});

describe("a hook after a call", () => {
  it("reads the result, and tells the model something", async () => {
    const command = script(
      'console.log(JSON.stringify({ context: ["Checked:", input.outcome, input.result.status].join(" ") }))',
    );
    const played = await play("write", { postTool: [{ name: "review", command }] });
    expect(played.executed).toEqual(["write"]);
    expect(played.lastMessage).toContain("Checked: succeeded success");
    expect(played.facts).toMatchObject([{ point: "post_tool", decision: "allow" }]);
    expect(await played.verify(played.outcome)).toMatchObject({ equal: true });
  });

  it("that fails changes nothing", async () => {
    const played = await play("wipe", { postTool: [{ name: "review", command: ["false"] }] });
    expect(played.executed).toEqual(["wipe"]);
    expect(played.outcome).toMatchObject({ status: "done", text: "done" });
    expect(played.facts).toMatchObject([{ point: "post_tool", decision: "failed" }]);
  });
});

it("is set up in a configuration file", async () => {
  const section = {
    pre_tool: [{ name: "gate", tool: "write", command: saying({ decision: "deny", reason: "closed" }) }],
  };
  const configured = { plugin_ids: ["hooks"], sections: { hooks: section } };
  const played = await play("write", {}, { configured });
  expect(played.executed).toEqual([]);
  expect(played.lastMessage).toContain("closed");
  expect(await played.verify(played.outcome)).toMatchObject({ equal: true });
});

it.each([
  ["neither a command nor an address", { name: "x" }],
  ["both", { name: "x", command: ["a"], url: "http://localhost" }],
  ["an empty command", { name: "x", command: [] }],
  ["an address of a file", { name: "x", url: "file:///etc/passwd" }],
  ["a pattern that is none", { name: "x", command: ["a"], tool: "a(" }],
  ["more time than there is", { name: "x", command: ["a"], timeoutMs: 60_000 }],
])("is refused with %s", (_, hook) => {
  expect(() => hooks({ preTool: [hook] })).toThrow(RepriseError);
});
