import { methods } from "@agentclientprotocol/sdk";
import { eventually } from "@reprise/testkit";
import { expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { startServer } from "../../stores/test/postgres/start-server.ts";
import { createModuleFolder } from "./support/module-folder.ts";
import { type EditorOptions, openEditor } from "./support/open-editor.ts";

const AGENTS = `
import { defineAgent, defineTool, scriptedModel } from "reprise";
const pay = defineTool({ id: "pay", description: "Pays.", needsApproval: true, execute: () => ({ paid: true }) });
const model = scriptedModel(({ messages }) => (messages.at(-1).role === "tool" ? "It is settled." : [{ call: "pay" }]));
export default { agents: [defineAgent({ id: "payer", model, tools: [pay] })] };`;

const prompt = [{ type: "text" as const, text: "Pay." }];

describeWithService("postgres", "an editor whose sessions are in Postgres", (postgres) => {
  it("is asked again by another process after kill -9, and lists, loads and deletes the session there", async () => {
    const database = await startServer(postgres);
    onTestFinished(() => database.stop());
    const cwd = createModuleFolder({ "agents.ts": AGENTS });
    const open = async (answer: EditorOptions["answer"]) => {
      const env = { DATABASE_URL: database.url, REPRISE_INSTANCE_ID: "editor" };
      const editor = await openEditor(["agents.ts"], { cwd, env, ...(answer !== undefined && { answer }) });
      onTestFinished(async () => void (await editor.close()));
      return editor;
    };
    const asked = Promise.withResolvers<void>();
    const first = await open(() => {
      asked.resolve();
      return new Promise(() => undefined);
    });
    const { sessionId } = await first.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    const turn = first.agent.request(methods.agent.session.prompt, { sessionId, prompt }).catch(() => "lost");
    await asked.promise;
    first.process.kill("SIGKILL");
    expect(await turn).toBe("lost");

    const second = await open(() => ({ outcome: { outcome: "selected", optionId: "allow_once" } }));
    const { sessions } = await second.agent.request(methods.agent.session.list, {});
    expect(sessions.map((session) => session.sessionId)).toEqual([sessionId]);
    await second.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
    expect(second.updates(sessionId)[0]).toMatchObject({
      sessionUpdate: "user_message_chunk",
      content: { text: "Pay." },
    });
    await eventually(() => expect(second.text(sessionId)).toBe("It is settled."));
    expect(await second.agent.request(methods.agent.session.prompt, { sessionId, prompt })).toEqual({
      stopReason: "end_turn",
    });
    await second.agent.request(methods.agent.session.delete, { sessionId });
    expect((await second.agent.request(methods.agent.session.list, {})).sessions).toEqual([]);
  }, 120_000);
});
