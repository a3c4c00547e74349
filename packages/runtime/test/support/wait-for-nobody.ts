import { createRuntime, defineAgent, scriptedModel } from "reprise";

/** A program that waits for a run no worker has, one way or the other, with nothing else to do. */
const runtime = await createRuntime({
  agents: [defineAgent({ id: "clerk", model: scriptedModel(["done"]) })],
  limits: { maxActiveRuns: 0 },
});
const run = await runtime.start({ agent: "clerk", threadId: "t1", input: "Go on." });
const waitsFor = process.argv[2];
if (waitsFor !== "nothing") {
  // Heard only if something else keeps the process.
  setTimeout(() => {
    console.log("still here");
    process.exit();
  }, 300).unref();
}
if (waitsFor === "outcome") await run.outcome();
if (waitsFor === "events") for await (const event of run.events()) console.log(event.type);
