/** What a library may export without writing a type: its compiler then names ours in the library's declarations. */

import {
  addSystemReminder,
  blockCall,
  changeState,
  createRuntime,
  defineAgent,
  definePlugin,
  defineState,
  defineTool,
  excludeTool,
  file,
  hasToolCall,
  isStepCount,
  memory,
  openaiCompatible,
  operatorText,
  overrideInference,
  RepriseError,
  scriptedModel,
  sqlite,
  suspendCall,
  suspendTool,
  ToolError,
  toolEffect,
  usd,
} from "reprise";
import { z } from "zod";

export const todos = defineState({
  path: "todos",
  initial: (): string[] => [],
  actions: { add: (list, title: string) => [...list, title] },
});
export const settings = defineState({
  path: "settings",
  initial: () => ({ theme: "dark" }),
  actions: { choose: (_, theme: string) => ({ theme }) },
});

const inputSchema = z.object({ title: z.string() });
export const adding = defineTool({
  id: "add",
  description: "Adds an item.",
  inputSchema,
  execute({ title }, { state }) {
    state.apply(todos.add(title));
    return { title };
  },
});
export const asking = defineTool({
  id: "ask",
  description: "Asks.",
  inputSchema,
  execute: ({ title }) => suspendTool({ action: "confirm", message: title }),
});
export const changing = defineTool({
  id: "change",
  description: "Changes state.",
  execute: () => toolEffect("done", [changeState(todos.add("milk")), addSystemReminder("Changed.")]),
});
export const failing = defineTool({ id: "fail", description: "Fails.", execute: () => new ToolError("denied", "No.") });

export const plugin = definePlugin({
  id: "careful",
  hooks: { beforeToolExecute: ({ call }) => (call.toolId === "fail" ? [blockCall("Not now.")] : []) },
});
export const actions = {
  blocking: blockCall("Not now."),
  changing: changeState(settings.choose("light")),
  excluding: excludeTool("fail"),
  overriding: overrideInference({}),
  suspending: suspendCall({ action: "confirm", message: "Sure?" }),
  words: operatorText`Answer briefly.`,
};

export const model = scriptedModel(["Hello."]);
export const provider = openaiCompatible({ id: "local", baseUrl: "http://127.0.0.1:1234/v1" });
export const agent = defineAgent({ id: "helper", model, tools: [adding], plugins: [plugin] });
export const counter = defineAgent({
  id: "counter",
  model,
  outputSchema: z.object({ count: z.number() }),
  stopWhen: [isStepCount(5), hasToolCall("done")],
});
export const count = async () =>
  (await createRuntime({ agents: [counter], store: memory() })).runToCompletion({ agent: "counter", input: "Count." });
export const conditions = { steps: isStepCount(5), call: hasToolCall("done") };
export const budget = usd(1);
export const refusal = new RepriseError("THREAD_BUSY", "Busy.");

export const openStores = () => ({ memory: memory(), sqlite: sqlite("app.db"), file: file("app") });
export const open = () => createRuntime({ agents: [agent], store: memory() });
export const start = async () => (await open()).start({ agent: "helper", input: "Hi!" });
export const complete = async () => (await open()).runToCompletion({ agent: "helper", input: "Hi!" });
export const listDecisions = async () => (await open()).decisions.list();
export const openThreads = async () => (await open()).threads;
export const readMessages = async () => (await open()).threads.messages("t1");
export const exportRun = async () => (await open()).exportRun("r1");
export async function* readEvents() {
  for await (const event of (await start()).events()) yield event;
}
