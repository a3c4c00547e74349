import { createServer } from "node:net";
import type { Setup } from "../compose/read-setup.ts";
import { toFailure } from "../output/to-failure.ts";
import { parseAddress } from "../settings/parse-address.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** Whether a server could listen where it would. */
export async function checkPort({ settings, config }: Setup): Promise<Finding> {
  const address = settings.text("httpAddr", config.server?.address);
  try {
    const { host, port } = parseAddress(address);
    const problem = await tryToListen(host, port);
    if (problem === undefined) return ok("port", `${address} is free`);
    if (problem !== "EADDRINUSE")
      return fail("port", `Nobody can listen on ${address} (${problem}).`, "Choose another address with --http-addr.");
    const remedy = "If that is not your own server, choose another address with --http-addr.";
    return warn("port", `${address} is taken.`, remedy);
  } catch (error) {
    const { message, remedy } = toFailure(error);
    return fail("port", message, remedy);
  }
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
