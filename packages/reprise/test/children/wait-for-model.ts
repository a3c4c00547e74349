import { createRuntime, defineAgent, sqlite } from "reprise";

/** Starts a run, or waits for one that another process started, and says how it stands, a line at a time. */
const [file = "", runId] = process.argv.slice(2);
const store = sqlite(file);
const runtime = await createRuntime({ store, agents: [defineAgent({ id: "helper", model: "openai/gpt-5" })] });
const say = (said: object): void => void process.stdout.write(`${JSON.stringify(said)}\n`);

if (runId === undefined) {
  const run = await runtime.start({ agent: "helper", threadId: "t1", input: "Hi!" });
  for await (const { type } of run.events()) {
    if (type !== "step_end") continue;
    // It is shown after the commit that gives the claim back.
    const leases = await (await store).operator.listLeases("default");
    say({ run_id: run.id, status: (await run.record()).status, leases: leases.length });
  }
} else {
  const outcome = await (await runtime.run(runId)).outcome();
  const { equal } = await runtime.replay(runId);
  say({ status: outcome.status, text: outcome.status === "done" ? outcome.text : undefined, equal });
  await runtime.close();
}
