import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type AcpHarness, acpBackend } from "@reprise/backends/acp";
import { createRegistryBuilder } from "@reprise/runtime";
import { eventually } from "@reprise/testkit";
import {
  type AgentEvent,
  createRuntime,
  defineAgent,
  type RunHandle,
  type Runtime,
  scriptedModel,
  sqlite,
} from "reprise";
import { agentTools } from "reprise/plugins/agent-tools";
import { expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../test/support/temporary-folder.ts";

const AGENT = join(import.meta.dirname, "support/sdk-agent.mjs");
const MAIN = join(import.meta.dirname, "../../cli/src/main.ts");

interface Place {
  readonly cwd: string;
  readonly harness?: Partial<AcpHarness>;
  readonly instanceId?: string;
}

/** A runtime with the agent `coder`, which is a program, and the agent `lead`, which has the coder work for it. */
async function open({ cwd, harness, instanceId = "one" }: Place): Promise<Runtime> {
  const sdk: AcpHarness = { command: process.execPath, args: [AGENT], cwd, ...harness };
  const own: AcpHarness = {
    command: process.execPath,
    args: ["--conditions=reprise-source", MAIN, "acp", "--demo"],
    cwd,
    env: { REPRISE_DEMO_PACE: "0" },
  };
  const lead = defineAgent({
    id: "lead",
    model: scriptedModel([[{ call: "agent_run_coder", arguments: { prompt: "edit it" } }], "The coder is done."]),
    delegates: ["coder"],
    plugins: [agentTools()],
  });
  const registries = createRegistryBuilder()
    .withBackend(acpBackend({ agents: { sdk, own } }))
    .withAgent({ id: "coder", endpoint: { backend: "acp", url: "acp:sdk" } })
    .withAgent({ id: "nested", endpoint: { backend: "acp", url: "acp:own" } })
    .withAgent(lead.spec, { plugins: lead.plugins, ...(lead.model !== undefined && { model: lead.model }) })
    .build();
  const runtime = await createRuntime({
    registries,
    store: sqlite(join(cwd, "app.db")),
    instanceId,
    limits: { closeTimeoutMs: 50 },
  });
  onTestFinished(() => runtime.close());
  return runtime;
}

async function eventsOf(run: RunHandle): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

const did = (cwd: string): string =>
  existsSync(join(cwd, "did.txt")) ? readFileSync(join(cwd, "did.txt"), "utf8") : "";

it("shows the text, thoughts and tool calls of a program, asks for its permissions, and replays the run without it", async () => {
  const cwd = createTemporaryFolder();
  const runtime = await open({ cwd });
  const run = await runtime.start({ agent: "coder", threadId: "t", input: "edit it" });
  expect(await run.outcome()).toMatchObject({ status: "waiting" });
  expect(did(cwd)).toBe("");
  const [question] = await runtime.decisions.list({ threadId: "t" });
  expect(question?.ticket?.suspension).toMatchObject({ message: "The agent asks for permission: edit a.txt" });
  expect(question?.arguments).toMatchObject({ input: { path: "a.txt" }, options: [{ optionId: "yes" }, {}, {}] });
  await runtime.decisions.decide(question?.id ?? "", { action: "approve" });
  const outcome = await run.outcome();
  expect(outcome).toMatchObject({ status: "done", text: "edit is done. Prompts of this session: 1." });
  expect(did(cwd)).toBe("edit\n");
  const events = await eventsOf(run);
  expect(events.flatMap((event) => (event.type === "reasoning_delta" ? [event.data.delta] : []))).toEqual([
    "I think of edit.",
  ]);
  const ready = events.find((event) => event.type === "tool_call_ready")?.data;
  expect(ready).toMatchObject({ name: "edit", arguments: { path: "a.txt" } });
  const done = events.flatMap((event) => (event.type === "tool_call_done" ? [event.data] : []));
  expect(done.find(({ id }) => id === ready?.id)).toMatchObject({
    outcome: "succeeded",
    result: {
      metadata: {
        diffs: [{ path: "/w/a.txt", old_text: "one", new_text: "two" }],
        locations: [{ path: "/w/a.txt", line: 1 }],
      },
    },
  });
  expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
});

it("refuses what a person denies, and takes the option that a person names", async () => {
  const cwd = createTemporaryFolder();
  const runtime = await open({ cwd });
  const run = await runtime.start({ agent: "coder", threadId: "t", input: "edit it, then remove it" });
  await run.outcome();
  const [first] = await runtime.decisions.list();
  await runtime.decisions.decide(first?.id ?? "", { action: "deny" });
  await run.outcome();
  const [second] = await runtime.decisions.list();
  await runtime.decisions.decide(second?.id ?? "", { action: "supply", result: { option: "always" } });
  expect(await run.outcome()).toMatchObject({ text: "remove is done. Prompts of this session: 1." });
  expect(did(cwd)).toBe("remove\n");
});

it("continues the session of a thread, and tells an agent that cannot load what was said", async () => {
  const cwd = createTemporaryFolder();
  const runtime = await open({ cwd });
  const say = async (threadId: string, input: string) => runtime.runToCompletion({ agent: "coder", threadId, input });
  expect(await say("t", "hello")).toMatchObject({ text: "Prompts of this session: 1." });
  expect(await say("t", "again")).toMatchObject({ text: "Prompts of this session: 2." });
  await runtime.close();
  const forgetful = await open({ cwd, harness: { env: { NO_LOAD: "1" } }, instanceId: "two" });
  const third = await forgetful.runToCompletion({ agent: "coder", threadId: "t", input: "once more" });
  expect(third).toMatchObject({ text: "Prompts of this session: 1." });
  const sessions: Record<string, readonly string[]> = JSON.parse(readFileSync(join(cwd, "sessions.json"), "utf8"));
  expect(sessions.s2?.[0]).toContain("user: hello\n\nassistant: Prompts of this session: 1.");
  expect(sessions.s2?.[0]).toContain("once more");
});

it("applies a decision after a restart: the program is started again and asked no person twice", async () => {
  const cwd = createTemporaryFolder();
  const first = await open({ cwd });
  const run = await first.start({ agent: "coder", threadId: "t", input: "edit it" });
  await run.outcome();
  await first.close();
  const second = await open({ cwd });
  const [question] = await second.decisions.list();
  await second.decisions.decide(question?.id ?? "", { action: "approve" });
  const outcome = await (await second.run(run.id)).outcome();
  expect(outcome).toMatchObject({ status: "done" });
  expect(did(cwd)).toBe("edit\n");
  expect(outcome).toMatchObject({ text: "edit is done. Prompts of this session: 2." });
});

it("asks a person when the worker was stopped while the program worked, and asks the program again when allowed", async () => {
  const cwd = createTemporaryFolder();
  const first = await open({ cwd });
  const run = await first.start({ agent: "coder", threadId: "t", input: "slow" });
  await eventually(() => expect(did(cwd)).toBe("waits\n"));
  await first.close();
  await eventually(() => expect(did(cwd)).toBe("waits\ncancelled\n"));
  const second = await open({ cwd });
  await eventually(async () => expect(await second.decisions.list()).toHaveLength(1));
  const [question] = await second.decisions.list();
  expect(question?.ticket?.suspension).toMatchObject({ action: "unknown_outcome" });
  expect(did(cwd)).toBe("waits\ncancelled\n");
  await second.decisions.decide(question?.id ?? "", { action: "deny", reason: "too slow" });
  expect(await (await second.run(run.id)).outcome()).toMatchObject({ status: "failed", code: "BACKEND_FAILED" });
});

it("cancels the turn of the program with the run", async () => {
  const cwd = createTemporaryFolder();
  const runtime = await open({ cwd });
  const run = await runtime.start({ agent: "coder", threadId: "t", input: "slow" });
  await eventually(() => expect(did(cwd)).toBe("waits\n"));
  await run.cancel();
  expect(await run.outcome()).toMatchObject({ status: "cancelled" });
  await eventually(() => expect(did(cwd)).toBe("waits\ncancelled\n"));
});

it("ends a run whose program dies, cannot start, or says too much, and says why", async () => {
  const cwd = createTemporaryFolder();
  const fails = async (input: string, harness: Partial<AcpHarness>, id: string) => {
    const runtime = await open({ cwd, harness, instanceId: id });
    return runtime.runToCompletion({ agent: "coder", threadId: id, input });
  };
  expect(await fails("die", {}, "a")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("exit code 3"),
  });
  expect(await fails("hi", { command: "/no/such/program" }, "b")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("could not be started"),
  });
  expect(await fails("shout", { maxTextLength: 5_000 }, "c")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("more than 5000 characters"),
  });
  expect(await fails("slow", { turnTimeoutMs: 200 }, "d")).toMatchObject({
    status: "failed",
    error: expect.stringContaining("longer than 200 ms"),
  });
});

it("starts only programs that its owner named, in their folder, with none of the environment but what is allowed", async () => {
  const cwd = createTemporaryFolder();
  process.env.SECRET_OF_THE_TEST = "s";
  onTestFinished(() => void delete process.env.SECRET_OF_THE_TEST);
  const harness = { env: { GIVEN: "1" }, inheritEnv: ["PATH"] };
  const runtime = await open({ cwd, harness });
  const outcome = await runtime.runToCompletion({ agent: "coder", input: "environment" });
  const [text] = outcome.status === "done" ? outcome.text.split("Prompts") : [];
  const { cwd: folder, names } = JSON.parse(text ?? "");
  expect(folder).toBe(cwd);
  expect(names).toEqual(expect.arrayContaining(["PATH", "GIVEN"]));
  expect(names).not.toContain("SECRET_OF_THE_TEST");
  expect(names).not.toContain("HOME");
  const backend = acpBackend({ agents: { sdk: { command: "x" } } });
  const builder = createRegistryBuilder().withBackend(backend);
  expect(() => builder.withAgent({ id: "evil", endpoint: { backend: "acp", url: "acp:/bin/sh" } }).build()).toThrow(
    "acp:sdk",
  );
});

it("gives a form of the program to a person", async () => {
  const cwd = createTemporaryFolder();
  const runtime = await open({ cwd });
  const run = await runtime.start({ agent: "coder", threadId: "t", input: "form" });
  await run.outcome();
  const [question] = await runtime.decisions.list();
  expect(question?.ticket?.suspension).toMatchObject({ action: "input", message: "Which city?" });
  await runtime.decisions.decide(question?.id ?? "", { action: "supply", result: { city: "Oslo" } });
  expect(await run.outcome()).toMatchObject({ text: expect.stringContaining('"content":{"city":"Oslo"}') });
});

it("works for another agent as a delegate, with its permission asked below", async () => {
  const cwd = createTemporaryFolder();
  const runtime = await open({ cwd });
  const run = await runtime.start({ agent: "lead", threadId: "t", input: "Have it edited." });
  await eventually(async () => expect(await runtime.decisions.list()).toHaveLength(1));
  const [question] = await runtime.decisions.list();
  await runtime.decisions.decide(question?.id ?? "", { action: "approve" });
  expect(await run.outcome()).toMatchObject({ status: "done", text: "The coder is done." });
  expect(did(cwd)).toBe("edit\n");
});

it("drives the process of `reprise acp`, whose approval becomes ours", async () => {
  const cwd = createTemporaryFolder();
  const runtime = await open({ cwd });
  const run = await runtime.start({ agent: "nested", threadId: "t", input: "send a mail to ann@example.com" });
  await run.outcome();
  const [question] = await runtime.decisions.list({ threadId: "t" });
  expect(question?.arguments).toMatchObject({ title: "sendEmail: ann@example.com" });
  await runtime.decisions.decide(question?.id ?? "", { action: "approve" });
  expect(await run.outcome()).toMatchObject({
    status: "done",
    text: expect.stringContaining("You agreed to the mail to ann@example.com."),
  });
});
