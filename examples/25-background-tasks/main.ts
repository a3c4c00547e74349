// Background tasks: a model has two builds run in the background, works on, cancels one and reads the result of the other.
import { createRuntime, defineAgent, defineTool, memory, scriptedModel, textOf } from "reprise";
import { backgroundTasks } from "reprise/plugins/background-tasks";
import { z } from "zod";

// Each build ends when the program says so, or when it is cancelled.
const builds = new Map(["website", "handbook"].map((project) => [project, Promise.withResolvers<string>()]));
const build = defineTool({
  id: "build",
  description: "Builds a project.",
  inputSchema: z.object({ project: z.string() }),
  capabilities: ["background"],
  timeoutMs: null,
  execute: ({ project }, { signal }) => {
    console.log(`  the build of the ${project} begins`);
    signal.addEventListener("abort", () => builds.get(project)?.reject(signal.reason), { once: true });
    return builds.get(project)?.promise ?? "There is no such project.";
  },
});

const note = defineTool({ id: "note", description: "Writes a note.", execute: () => "noted" });

const start = (project: string) => ({ call: "build", arguments: { project, run_in_background: true } }) as const;
const agent = defineAgent({
  id: "agent",
  tools: [build, note],
  plugins: [backgroundTasks()],
  model: scriptedModel(({ messages }) => {
    const results = messages.filter(({ role }) => role === "tool").map(textOf);
    const [website, handbook] = results.slice(0, 2).map((result): string => JSON.parse(result).task_id);
    const isBuilt = messages.some((message) => textOf(message).includes("is over: completed."));
    const isStopped = messages.some((message) => textOf(message) === "Stop the handbook.");
    if (results.length === 0) return [start("website"), start("handbook")];
    // A build changes something, and so does a note. In the background they do not wait for each other.
    if (results.length === 2) return [{ call: "note" }];
    if (isBuilt && results.length === 3) return [{ call: "task_output", arguments: { task_id: website } }];
    if (isStopped && results.length === 4) return [{ call: "task_cancel", arguments: { task_id: handbook } }];
    if (isStopped) return `${JSON.parse(results[4] ?? "{}").count} task was cancelled.`;
    return isBuilt ? `The website has ${JSON.parse(results[3] ?? "{}").output}.` : "Two builds were started.";
  }),
});

const runtime = await createRuntime({ agents: [agent], store: memory() });
const first = await runtime.start({ agent: "agent", threadId: "t1", input: "Build the website and the handbook." });
console.log(await first.text);

// The agent is idle, so the message of the task is a run of its own.
builds.get("website")?.resolve("12 pages");
const tasks = (await runtime.runs({ parentRunId: first.id })).items;
const website = await Promise.race(
  tasks.map(async ({ run_id }) => {
    await (await runtime.run(run_id)).outcome();
    return run_id;
  }),
);
const report = await runtime.run(`${website}-completion`);
console.log(await report.text);

const last = await runtime.start({ agent: "agent", threadId: "t1", input: "Stop the handbook." });
console.log(await last.text);

const runs = [first.id, website, report.id, last.id];
const replays = await Promise.all(runs.map((id) => runtime.replay(id)));
console.log(`${replays.filter(({ equal }) => equal).length} of ${runs.length} runs verify by replay.`);
await runtime.close();
