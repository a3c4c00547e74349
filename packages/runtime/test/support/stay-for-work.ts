import { createRuntime, defineAgent, defineTool, scriptedModel } from "reprise";

/** A program without a server. It has a run at work that waits for a mere promise, or only says that it works, or neither. */
const never = defineTool({ id: "never", description: "Never answers.", execute: () => new Promise<never>(() => {}) });
const runtime = await createRuntime({
  agents: [defineAgent({ id: "clerk", model: scriptedModel([[{ call: "never", arguments: {} }]]), tools: [never] })],
  limits: { closeTimeoutMs: 1 },
});
const [, , does] = process.argv;
// Heard only if something else keeps the process: longer than any rest of its start.
setTimeout(async () => {
  console.log("still here");
  await runtime.close();
}, 1_500).unref();
if (does === "run") await runtime.start({ agent: "clerk", threadId: "t1", input: "Go on." });
if (does === "work") {
  await runtime.work();
  console.log("closed");
}
