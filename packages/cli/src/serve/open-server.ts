import { RepriseError } from "@reprise/contracts";
import { createServer } from "@reprise/server";
import { chatPage, type Listening, listen } from "@reprise/server/node";
import type { WorkingApp } from "../compose/open-app.ts";
import { CommandFailure, usageFailure } from "../output/failure.ts";
import { parseAddress } from "../settings/parse-address.ts";
import { createAuthenticate } from "./create-authenticate.ts";
import { serverOptions, timeLimits } from "./server-options.ts";

/** Puts an app behind HTTP, as its settings say. */
export async function openServer(app: WorkingApp): Promise<Listening> {
  const { settings, config } = app.setup;
  const { auth = {}, server: configured = {} } = config;
  const requireKeys = settings.isOn("requireKeys", auth.api_keys);
  const authenticate = await createAuthenticate(app.runtime, { requireKeys, jwt: auth.jwt });
  const server = createServer({
    ...serverOptions(configured),
    runtime: app.runtime,
    config: app.live,
    pages: chatPage(),
    allowedHosts: settings.list("allowedHosts", configured.allowed_hosts),
    allowedOrigins: settings.list("allowedOrigins", configured.allowed_origins),
    ...(authenticate !== undefined && { authenticate }),
  });
  const address = settings.text("httpAddr", configured.address);
  const { host, port } = parseAddress(address);
  try {
    return await listen(server, { host, port, ...timeLimits(configured) });
  } catch (error) {
    throw describeListenError(error, address, host);
  }
}

/** Why it cannot listen, as one sentence. */
function describeListenError(error: unknown, address: string, host: string): unknown {
  if (RepriseError.is(error, "INVALID_REQUEST")) {
    const message = `Cannot listen on ${host}: others can reach it, and nobody is asked who they are.`;
    return usageFailure(
      message,
      "Add --require-keys and make a key with `reprise keys create`, or listen on 127.0.0.1.",
    );
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const remedy = "Choose another address, as in --http-addr 127.0.0.1:8081.";
  if (code === "EADDRINUSE")
    return new CommandFailure(`${address} is taken by another program.`, {
      code,
      remedy: `Stop that one, or choose another address, as in --http-addr 127.0.0.1:8081.`,
    });
  if (code === "EACCES") return new CommandFailure(`You may not listen on ${address}.`, { code, remedy });
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new CommandFailure(`This machine has no address ${host}.`, { code, remedy });
  return error;
}
