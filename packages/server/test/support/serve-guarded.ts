import { anyOf, createApiKeys, createServer } from "@reprise/server";
import { openLiveConfig, readConfig } from "@reprise/server/config";
import { createRuntime } from "reprise";
import { createNodeEnv } from "reprise/advanced";
import { evaluations, keepExperiment, listExperiments, runExperiment } from "reprise/evals";
import {
  carelessAgents,
  carelessAuthenticate,
  carelessPreview,
  carelessRuntime,
  carelessStore,
} from "./careless-parts.ts";
import { createPorts } from "./config-world.ts";
import { demoAgents } from "./demo-agents.ts";
import { IMPATIENT, rootAuthenticate, UNCOUNTED } from "./guarded-limits.ts";
import { PLANTED } from "./planted-secrets.ts";
import { openPlace, serveUntilTold } from "./serve-until-told.ts";
import { VICTIM_EXPERIMENTS } from "./victim-experiments.ts";
import { workflowAgents, workflowProgram } from "./workflow-demo.ts";

// A server that asks who one is, whose every part can throw what somebody careless wrote. At its second door it has little patience.
const [, , place = ""] = process.argv;
const store = await openPlace(place);
const agents = [...demoAgents(), ...carelessAgents(), ...workflowAgents()];
const programs = [workflowProgram()];
const runtime = await createRuntime({ agents, programs, store: { ...carelessStore(store), blobs: store.blobs } });
const providers = PLANTED.map(({ secret }, index) => {
  const auth = { kind: "token", value: secret };
  return [`provider-${index}`, { auth, headers: { "x-key": secret }, endpoint: `http://u:${secret}@127.0.0.1:1` }];
});
const config = await openLiveConfig({
  runtime,
  base: readConfig({
    agents: [{ id: "configured", model: "configured", system_prompt: "File." }],
    models: { configured: { provider: "provider-0", model: "one" } },
    providers: Object.fromEntries(providers),
  }),
  ports: createPorts({ agents, plugins: [], programs }),
});
// Experiments come from the command line: the victim's are there already.
const { documents } = runtime.forTenant("owner");
if ((await listExperiments(documents)).items.length === 0) {
  const experiment = await runExperiment([], { mode: "verify", definitions: {}, env: createNodeEnv() });
  for (const id of VICTIM_EXPERIMENTS) await keepExperiment(documents, { ...experiment, id });
}
const options = {
  runtime: carelessRuntime(runtime),
  evals: evaluations(),
  config,
  authenticate: anyOf(
    createApiKeys(runtime).authenticate,
    rootAuthenticate(process.env.GUARDED_ROOT ?? ""),
    carelessAuthenticate,
  ),
  previewPermission: carelessPreview,
  limits: UNCOUNTED,
};
const impatient = createServer({ ...options, streams: IMPATIENT.streams });
const doors = [{ server: createServer(options) }, { server: impatient, listen: IMPATIENT.listen }];
await serveUntilTold({ store, runtime, doors });
