import { RepriseError } from "@reprise/contracts";
import { createServer } from "@reprise/server";
import { chatPage, type Listening, listen } from "@reprise/server/node";
import type { WorkingApp } from "../compose/open-app.ts";
import { CommandFailure, usageFailure } from "../output/failure.ts";
import { type Address, formatAddress } from "../settings/read-address.ts";
import { createAuthenticate } from "./create-authenticate.ts";
import { serverOptions, timeLimits } from "./server-options.ts";

/** Puts an app behind HTTP, as its settings say. */
export async function openServer(app: WorkingApp, address: Address): Promise<Listening> {
  const { settings, config } = app.setup;
  const { auth = {}, server: configured = {} } = config;
  const requireKeys = settings.isOn("requireKeys", auth.api_keys);
  const authenticate = await createAuthenticate(app.runtime, { requireKeys, jwt: auth.jwt });
  const server = createServer({
    ...serverOptions(configured),
    runtime: app.runtime,
    ...(app.live !== undefined && { config: app.live }),
    pages: chatPage(),
    allowedHosts: settings.list("allowedHosts", configured.allowed_hosts),
    allowedOrigins: settings.list("allowedOrigins", configured.allowed_origins),
    ...(authenticate !== undefined && { authenticate }),
  });
  try {
    return await listen(server, { ...address, ...timeLimits(configured) });
  } catch (error) {
    throw describeListenError(error, address);
  }
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
