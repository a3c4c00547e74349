import { createServer } from "@reprise/server";
import { createRuntime } from "reprise";
import { demoAgents } from "./demo-agents.ts";
import { openPlace, serveUntilTold } from "./serve-until-told.ts";

// A server for everybody on this machine.
const [, , place = ""] = process.argv;
const store = await openPlace(place);
const runtime = await createRuntime({ agents: demoAgents(), store });
await serveUntilTold({ store, runtime, doors: [{ server: createServer({ runtime }) }] });
