import { createRuntime } from "reprise";
import { createServer, type RouteHandlers, routeHandlers } from "reprise/server";
import { studio } from "reprise/server/node";
import { assistant } from "../../../agents";

// One runtime a process: Next loads this file again when it changes, and also when it builds, where nothing is to be opened.
const kept = globalThis as typeof globalThis & { handlers?: Promise<RouteHandlers> };

async function open(): Promise<RouteHandlers> {
  const runtime = await createRuntime({ agents: [assistant] });
  // Nobody is asked who they are: add `authenticate` before strangers can reach it.
  return routeHandlers(createServer({ runtime, pages: studio() }), "/agents");
}

async function answer(request: Request): Promise<Response> {
  kept.handlers ??= open();
  const handlers = await kept.handlers;
  return handlers.GET(request);
}

export { answer as DELETE, answer as GET, answer as OPTIONS, answer as PATCH, answer as POST, answer as PUT };
