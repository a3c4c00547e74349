import { randomUUID } from "node:crypto";
import * as current from "@ag-ui/client";
import * as before from "ag-ui-client-0";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type DemoServer, startDemo } from "./start-demo.ts";

const PROGRAM = { program: "serve-ag-ui.ts" };

/** The official client, with threads that the server keeps: it connects to them as the how-to shows. */
class ThreadAgent extends current.HttpAgent {
  protected override connect({ threadId, runId }: current.RunAgentInput): ReturnType<current.HttpAgent["run"]> {
    const url = new URL(`threads/${threadId}/stream?protocolVersion=1.0&runId=${runId}`, this.url).href;
    return current.transformHttpEventStream(current.runHttpRequest(() => this.fetch(url, {})));
  }
}

class ThreadAgentBefore extends before.HttpAgent {
  protected override connect({ threadId, runId }: before.RunAgentInput): ReturnType<before.HttpAgent["run"]> {
    const url = new URL(`threads/${threadId}/stream?runId=${runId}`, this.url).href;
    return before.transformHttpEventStream(before.runHttpRequest(() => fetch(url)));
  }
}

interface Config {
  readonly url: string;
  readonly threadId: string;
  readonly initialState?: object;
}

const CLIENTS: readonly { readonly name: string; readonly open: (config: Config) => current.HttpAgent }[] = [
  { name: "1.0.0", open: (config) => new ThreadAgent(config) },
  // Its types differ from those of version 1 in what these tests do not use.
  { name: "0.0.59", open: (config) => new ThreadAgentBefore(config) as never as current.HttpAgent },
];

const textIn = ({ messages }: current.HttpAgent): unknown =>
  messages.findLast(({ role }) => role === "assistant")?.content;

/** What the official clients do with a server that is a process, wherever its threads live. */
export function describeAgUiClients(placeOf: () => string): void {
  let server: DemoServer;
  beforeAll(async () => {
    server = await startDemo(placeOf(), PROGRAM);
  });
  afterAll(() => server?.kill());

  describe.each(CLIENTS)("@ag-ui/client $name", ({ name, open }) => {
    const urlOf = (agentId = "assistant") => `${server.url}/v1/ag-ui/agents/${agentId}/runs`;
    const openThread = (threadId: string = randomUUID(), more: Partial<Config> = {}) =>
      open({ url: urlOf(), threadId, ...more });
    const openWith = (agentId: string) => openThread(randomUUID(), { url: urlOf(agentId) });
    const say = (agent: current.HttpAgent, content: string): void =>
      agent.addMessage({ id: randomUUID(), role: "user", content });
    const historyOf = async ({ threadId }: current.HttpAgent) =>
      (await (await fetch(`${server.url}/v1/ag-ui/threads/${threadId}/messages`)).json()).messages;

    it("chats, and has the messages that the server keeps", async () => {
      const agent = openThread();
      for (const words of ["hello", "again"]) {
        say(agent, words);
        await agent.runAgent();
        expect(textIn(agent)).toBe(`You said: ${words}`);
      }
      expect(agent.messages).toEqual(await historyOf(agent));
    });

    it("answers a question, also after the server was killed, and the run continues", async () => {
      const agent = openThread();
      say(agent, "pay 5");
      await agent.runAgent();
      expect(agent.pendingInterrupts).toMatchObject([{ reason: "tool_call" }]);
      await server.kill();
      server = await startDemo(placeOf(), PROGRAM);
      agent.url = urlOf();
      const resume = agent.pendingInterrupts.map(({ id }) => ({
        interruptId: id,
        status: "resolved" as const,
        payload: { approved: true },
      }));
      await agent.runAgent({ resume });
      expect([textIn(agent), agent.pendingInterrupts]).toEqual(["Done.", []]);
    });

    it("executes a tool of its own, and the run continues with the result", async () => {
      const agent = openThread();
      const tools = [{ name: "locate", description: "Finds the user.", parameters: { type: "object" } }];
      say(agent, "use locate");
      await agent.runAgent({ tools });
      const call = agent.messages.at(-1);
      const toolCallId = (call?.role === "assistant" ? call.toolCalls?.[0]?.id : undefined) ?? "";
      agent.addMessage({ id: randomUUID(), role: "tool", toolCallId, content: "Oslo" });
      await agent.runAgent({ tools });
      expect(textIn(agent)).toBe("Done.");
      expect(agent.messages.filter(({ role }) => role === "tool")).toHaveLength(1);
    });

    it("gives no result of its own tool but an error, and the run continues with that", async () => {
      const agent = openThread();
      const tools = [{ name: "locate", description: "Finds the user.", parameters: { type: "object" } }];
      say(agent, "use locate");
      await agent.runAgent({ tools });
      const call = agent.messages.at(-1);
      const toolCallId = (call?.role === "assistant" ? call.toolCalls?.[0]?.id : undefined) ?? "";
      agent.addMessage({ id: randomUUID(), role: "tool", toolCallId, content: "", error: "the user said no" });
      await agent.runAgent({ tools });
      expect(textIn(agent)).toBe("Done.");
      const { messages } = await (await fetch(`${server.url}/v1/threads/${agent.threadId}/messages`)).json();
      expect(JSON.stringify(messages)).toContain("the user said no");
    });

    it("shows the question of a run below as one of the run, and answers it there", async () => {
      const agent = openWith("boss");
      say(agent, "go");
      const ended: unknown[] = [];
      const onEvent = ({ event }: { event: { type: string; outcome?: unknown } }): void => {
        if (event.type === "SUBAGENT_FINISHED") ended.push(event.outcome);
      };
      await agent.runAgent({}, { onEvent });
      const resume = agent.pendingInterrupts.map(({ id }) => ({ interruptId: id, status: "resolved" as const }));
      expect(ended).toEqual([{ type: "suspended", interruptIds: resume.map(({ interruptId }) => interruptId) }]);
      expect(resume).toHaveLength(1);
      await agent.runAgent({ resume }, { onEvent });
      expect(ended.at(-1)).toEqual({ type: "success" });
      expect([textIn(agent), agent.pendingInterrupts]).toEqual(["All is paid.", []]);
    });

    it("gets reasoning, an activity that patches bring to its end, and what the run used", async () => {
      const agent = openWith("thinker");
      say(agent, "go");
      const events: { readonly type: string; readonly usage?: unknown }[] = [];
      await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) });
      expect(agent.messages).toMatchObject([
        { role: "user" },
        { role: "reasoning", content: "Let me measure." },
        { role: "assistant" },
        { role: "tool" },
        { role: "activity", activityType: "tool-call-progress", content: { progress: 2, total: 2 } },
        { role: "assistant", content: "Measured." },
      ]);
      expect(events.map(({ type }) => type)).toContain("ACTIVITY_DELTA");
      expect(events.at(-1)).toMatchObject({ usage: [{ inputTokens: 20, outputTokens: 4 }] });
    });

    it("chooses model and prompt for one run, and tells what the page shows", async () => {
      const agent = openWith("open");
      say(agent, "hello");
      const forwardedProps = { model: "q/m", systemPrompt: "Be brief." };
      await agent.runAgent({ forwardedProps, context: [{ description: "Page", value: "Invoices" }] });
      expect(textIn(agent)).toMatch(/^Be brief\. hello.*Page: Invoices/s);
      say(agent, "again");
      await agent.runAgent();
      expect(textIn(agent)).toBe("own");
      const closed = openThread();
      say(closed, "hello");
      // The client prints what it was refused.
      const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
      onTestFinished(() => printed.mockRestore());
      await expect(closed.runAgent({ forwardedProps })).rejects.toThrow(/clientOverrides/);
    });

    it("hears that its run was cancelled", async () => {
      const agent = openThread();
      say(agent, "stall");
      const events: { readonly type: string; readonly outcome?: unknown; readonly code?: unknown }[] = [];
      let runId = "";
      const cancel = async (): Promise<void> =>
        void (await fetch(`${server.url}/v1/runs/${runId}/cancel`, { method: "POST" }));
      await agent
        .runAgent(
          {},
          {
            onEvent: ({ event }) => void events.push(event),
            onRunStartedEvent: ({ event }) => {
              // The server's own id of the run.
              runId = String((event as { readonly metadata?: { readonly runId?: string } }).metadata?.runId);
            },
            onTextMessageContentEvent: () => void cancel(),
          },
        )
        .catch(() => undefined);
      const cancelled =
        name === "1.0.0" ? { outcome: { type: "cancelled" } } : { type: "RUN_ERROR", code: "CANCELLED" };
      expect(events.at(-1)).toMatchObject(cancelled);
    });

    it("shares its state with the thread, and gets it back on another page", async () => {
      const agent = openThread(randomUUID(), { initialState: { zoom: 2 } });
      say(agent, "hello");
      await agent.runAgent();
      const other = openThread(agent.threadId);
      await other.connectAgent();
      expect(other.state).toEqual({ zoom: 2 });
      expect(other.messages).toEqual(agent.messages);
    });

    it("leaves a run that continues, and another page follows it to its end", async () => {
      const agent = openThread();
      say(agent, "count 3000");
      const left = agent.runAgent({}, { onTextMessageContentEvent: () => agent.abortRun() });
      await left.catch(() => undefined);
      const other = openThread(agent.threadId);
      await other.connectAgent();
      expect(String(textIn(other)).trim().split(" ").at(-1)).toBe("2999");
      expect(other.messages).toEqual(await historyOf(other));
    });
  });
}
