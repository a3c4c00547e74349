import { RepriseError } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import { createServer, openSchedules, type Server } from "@reprise/server";
import { readSecret } from "@reprise/server/config";
import type { NatsGateway } from "@reprise/server/nats";
import { type Listening as HttpListening, listen, studio } from "@reprise/server/node";
import { evaluations } from "reprise/evals";
import { logOf } from "../compose/create-log.ts";
import type { WorkingApp } from "../compose/open-app.ts";
import { planBlobs } from "../compose/plan-blobs.ts";
import { CommandFailure, usageFailure } from "../output/failure.ts";
import { type Address, formatAddress } from "../settings/read-address.ts";
import { createAuthenticate } from "./create-authenticate.ts";
import type { Role } from "./read-role.ts";
import { serverOptions, timeLimits } from "./server-options.ts";

/** A server that listens, and can say that it is about to stop. */
export interface Listening extends HttpListening {
  /** Is not ready from now on, and answers everything else as before. */
  retire(): void;
}

/**
 * Puts an app behind HTTP, and behind NATS where one is named, as its settings say. A worker answers health checks alone.
 */
export async function openServer(
  app: WorkingApp,
  address: Address,
  { role, warn }: { readonly role: Role; readonly warn: (text: string) => void },
): Promise<Listening> {
  const { settings, config } = app.setup;
  const { auth = {}, server: configured = {} } = config;
  const requireKeys = settings.isOn("requireKeys", auth.api_keys);
  const authenticate = await createAuthenticate(app.runtime, { requireKeys, jwt: auth.jwt });
  const server = createServer({
    ...serverOptions(configured),
    runtime: app.runtime,
    ...linksOf(app),
    secret: (name) => settings.named(name),
    ...(app.live !== undefined && { config: app.live }),
    evals: evaluations(),
    ...(role === "worker" ? { groups: ["health"] } : { pages: studio() }),
    allowedHosts: settings.list("allowedHosts", configured.allowed_hosts),
    allowedOrigins: settings.list("allowedOrigins", configured.allowed_origins),
    ...(authenticate !== undefined && { authenticate }),
  });
  const gateway = role === "worker" ? undefined : await openGateway(app, server, warn);
  try {
    const listening = await listen(server, { ...address, ...timeLimits(configured) });
    const schedules = openSchedules({ runtime: app.runtime, clock: createNodeEnv().clock, log: logOf(settings) });
    const close = async (): Promise<void> => {
      schedules.close();
      await Promise.all([gateway?.close(), listening.close()]);
    };
    return { ...listening, retire: () => server.retire(), close };
  } catch (error) {
    await gateway?.close();
    throw describeListenError(error, address);
  }
}

/** A store that a module opened has its files where the module says. */
function linksOf({ setup: { settings, config, module } }: WorkingApp): { readonly blobLinkSeconds?: number } {
  const isOwn = module?.runtime !== undefined || module?.options.store !== undefined;
  const linkSeconds = isOwn ? config.blobs?.link_seconds : planBlobs(settings, config.blobs)?.linkSeconds;
  return linkSeconds === undefined ? {} : { blobLinkSeconds: linkSeconds };
}

/** Serves the same over NATS. Everybody who reaches a NATS server may send, so one elsewhere needs callers that are known. */
async function openGateway(
  { setup: { settings, config } }: WorkingApp,
  server: Server,
  warn: (text: string) => void,
): Promise<NatsGateway | undefined> {
  const { url: configured, ag_ui_subject: agUi, ai_sdk_subject: aiSdk, queue } = config.server?.nats ?? {};
  const url =
    settings.value("natsUrl") ??
    (configured === undefined ? undefined : readSecret(configured, (name) => settings.named(name)));
  if (url === undefined) return undefined;
  const servers = url.split(",").map((each) => each.trim());
  if (!server.isAuthenticated && !servers.every(isLoopback))
    throw usageFailure(
      "Refusing to serve over a NATS server on another machine without authentication.",
      "Add --require-keys and make a key with `reprise keys create`, or use a NATS server on this machine.",
    );
  const { openNatsGateway } = await import("@reprise/server/nats");
  const subjects = { ...(agUi !== undefined && { agUi }), ...(aiSdk !== undefined && { aiSdk }) };
  const options = { server, nats: { servers }, subjects, ...(queue !== undefined && { queue }), onProblem: warn };
  return openNatsGateway(options).catch((error: unknown) => {
    if (RepriseError.is(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const remedy = "Check --nats-url (REPRISE_NATS_URL), and that the NATS server runs.";
    throw new CommandFailure(`The NATS server cannot be reached: ${why}`, { code: "NATS_UNAVAILABLE", remedy });
  });
}

function isLoopback(server: string): boolean {
  const address = server.includes("://") ? server : `nats://${server}`;
  if (!URL.canParse(address)) return false;
  return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(address).hostname);
}

/** Why it cannot listen, as one sentence. */
function describeListenError(error: unknown, address: Address): unknown {
  const { host } = address;
  if (RepriseError.is(error, "INVALID_REQUEST")) {
    return usageFailure(
      `Refusing to listen on ${host} without authentication: other machines can reach that address.`,
      "Add --require-keys and make a key with `reprise keys create`, or listen on 127.0.0.1.",
    );
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const remedy = "Choose another port or address, as in --port 8081 or --http-addr 127.0.0.1:8081.";
  const name = formatAddress(address);
  if (code === "EADDRINUSE") return new CommandFailure(`${name} is already in use.`, { code, remedy });
  if (code === "EACCES") return new CommandFailure(`Listening on ${name} is not allowed here.`, { code, remedy });
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new CommandFailure(`This machine has no address ${host}.`, { code, remedy });
  return error;
}
