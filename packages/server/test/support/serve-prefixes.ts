import { createEgress } from "@reprise/node";
import { createServer } from "@reprise/server";
import { createRuntime } from "reprise";
import { answersWithMessage, prefixAgent } from "./prefix-agent.ts";
import { openPlace, serveUntilTold } from "./serve-until-told.ts";

// The agent of the official A2A suite. Push notifications go to receivers on this machine.
const [, , place = ""] = process.argv;
const store = await openPlace(place);
const runtime = await createRuntime({ agents: [prefixAgent()], store });
const push = { egress: createEgress(), privateOrigins: [process.env.RECEIVER ?? ""], intervalMs: 100 };
const server = createServer({ runtime, a2a: { answersWithMessage }, push });
await serveUntilTold({ store, runtime, doors: [{ server }] });
