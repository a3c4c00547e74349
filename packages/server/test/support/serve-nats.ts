import { createServer } from "@reprise/server";
import { openNatsGateway } from "@reprise/server/nats";
import { createRuntime } from "reprise";
import { demoAgents } from "./demo-agents.ts";
import { openPlace, serveUntilTold } from "./serve-until-told.ts";

// A server of the demo that also answers over NATS.
const [, , place = ""] = process.argv;
const store = await openPlace(place);
const limits = { leaseMs: 2_000, renewEveryMs: 500 };
const runtime = await createRuntime({ agents: demoAgents(), store, limits });
const server = createServer({ runtime });
await openNatsGateway({ server, nats: { servers: process.env.NATS_URL } });
await serveUntilTold({ store, runtime, doors: [{ server }] });
