import fc from "fast-check";
import { it } from "vitest";
import { scenarios, type Scenario } from "./model/scenario.ts";
import { drain } from "./model/drain.ts";
import { Driver } from "./model/drive.ts";
it("debug", async () => {
  await fc.assert(fc.asyncProperty(scenarios, async (scenario) => { await show(scenario); }), { seed: Number(process.env.SEED), path: process.env.FCPATH ?? "", numRuns: 1, endOnFailure: true });
});
async function show(scenario: Scenario) {
  const driver = new Driver(scenario);
  await driver.play();
  await drain(driver);
  const { runtime } = await driver.world.boot();
  const { items } = await driver.world.tenant.listRuns({ status: "done", limit: 200 });
  for (const { run_id } of items) {
    if (process.env.RUN !== undefined && run_id !== process.env.RUN) continue;
    const recording = await runtime.exportRun(run_id);
    for (const c of recording.changesets) {
      console.log(c.version, c.changeset_id, c.reasons.join(), "| msgs", c.messages.map((m) => m.id).join(), "| calls", c.calls.map((x) => `${x.call_id}:${x.status}`).join(), "| mail", JSON.stringify(c.mailbox_effects), "| rec", JSON.stringify(c.recordings ?? []));
      for (const e of c.events) console.log("    ", e.seq, e.run_id, e.type, JSON.stringify(e.data).slice(0, 160));
    }
    console.log(JSON.stringify(await runtime.replay(run_id).catch((e) => String(e))).slice(0, 3000));
    console.log("REEXECUTE", JSON.stringify(await runtime.replay(run_id, { mode: "reexecute" }).catch((e) => String(e))).slice(0, 3000));
  }
}
