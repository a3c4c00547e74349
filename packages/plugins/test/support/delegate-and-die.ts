// Has a lead delegate on a SQLite file, or approves what is asked about runs there, and is killed at the moment that it is told.
import { setTimeout as sleep } from "node:timers/promises";
import { createNodeEnv } from "@reprise/node";
import { createRuntime } from "@reprise/runtime";
import { openSqliteStore } from "@reprise/stores/sqlite";
import { defineTeam } from "./delegating-team.ts";

const [file = "", work = "", moment = ""] = process.argv.slice(2);
const at = (reached: string): void => {
  if (reached === moment) process.kill(process.pid, "SIGKILL");
};
const APPROVE = "approve";
const store = await openSqliteStore({ file });
const runtime = await createRuntime({
  agents: defineTeam(work === APPROVE ? { at, recovery: {} } : { at }),
  env: createNodeEnv(),
  store,
  blobs: store.blobs,
  instanceId: "one",
});
if (work === APPROVE) {
  let questions = await runtime.decisions.list();
  while (questions.length === 0) {
    await sleep(10);
    questions = await runtime.decisions.list();
  }
  for (const { id } of questions) await runtime.decisions.decide(id, { action: "approve" });
} else {
  const run = await runtime.start({ agent: "lead", threadId: "t1", input: work });
  await run.outcome();
}
// The lead is over; what it left in the background is not.
await new Promise(() => setInterval(() => undefined, 1_000));
