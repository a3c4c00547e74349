// A run is replayed without its model and its tools, and compared with what was stored of it, commit by commit.
import { createRuntime, type LanguageModel, memory, scriptedModel } from "reprise";
import { createNodeEnv, replayExport } from "reprise/advanced";
import { paid, tellerWith } from "./teller.ts";

const model = scriptedModel([
  [
    { text: "Both at once." },
    { call: "pay", arguments: { to: "Ada", amount: 20 } },
    { call: "pay", arguments: { to: "Bob", amount: 60 } },
  ],
  "Ada has her money, and Bob has his.",
]);
const store = memory();
const runtime = await createRuntime({ agents: [tellerWith(model, 70)], store });
const run = await runtime.start({ agent: "teller", threadId: "t1", input: "Pay Ada 20 and Bob 60." });
await run.outcome();
console.log(`paid: ${paid.join(", ")}`);

console.log("\nVerified from the recording: no model, no tool, no code of the agent");
const verified = await runtime.replay(run.id);
if (verified.equal) console.log(`  equal over ${verified.versions} versions and ${verified.events} events`);
console.log(`  models asked: ${model.requests.length}, paid: ${paid.length}`);

console.log("\nIn another process, from one file");
const file = JSON.stringify(await runtime.exportRun(run.id));
const elsewhere = await replayExport(file, { env: createNodeEnv() });
console.log(
  `  equal: ${elsewhere.equal}, the same hash: ${elsewhere.equal && verified.equal && elsewhere.hash === verified.hash}`,
);
const forged = await replayExport(file.replace("Bob has his", "Bob has none"), { env: createNodeEnv() });
if (!forged.equal)
  console.log(`  forged: the ${forged.divergence.what} at version ${forged.divergence.version} differs`);

console.log("\nWith today's rule, which allows less");
const silent: LanguageModel = {
  id: model.id,
  stream: () => Promise.reject(new Error("This replay must not call the model.")) as never,
};
const today = await createRuntime({ agents: [tellerWith(silent, 50)], store });
const asked = await today.replay(run.id, { mode: "reexecute" });
if (!asked.equal)
  console.log(`  the first difference is a ${asked.divergence.what} at version ${asked.divergence.version}`);
console.log(`  paid: ${paid.length}`);

console.log("\nFrom step 2 again, for real, with another model");
const other = scriptedModel(["Done, both of them."], "other");
const rerun = await runtime.rerunFrom(run.id, 2, { model: other });
const { original, rerun: second, state } = await rerun.comparison();
console.log(`  before: ${original.messages.at(-1)?.content}`);
console.log(`  now:    ${second.messages.at(-1)?.content}`);
console.log(`  the state differs in ${state.length} places`);
await Promise.all([runtime.close(), today.close()]);
