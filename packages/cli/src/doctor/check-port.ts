import type { Setup } from "../compose/read-setup.ts";
import { toFailure } from "../output/to-failure.ts";
import { findNextPort, tryToListen } from "../serve/find-port.ts";
import { formatAddress, readAddress } from "../settings/read-address.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** Whether a server could listen where it would. */
export async function checkPort({ settings, config }: Setup): Promise<Finding> {
  try {
    const address = readAddress(settings, config.server?.address);
    const name = formatAddress(address);
    const problem = await tryToListen(address);
    if (problem === undefined) return ok("port", `${name} is free`);
    if (problem !== "EADDRINUSE")
      return fail("port", `Cannot listen on ${name} (${problem}).`, "Choose another address with --http-addr.");
    const next = (await findNextPort(address)) ?? 0;
    return warn("port", `${name} is in use.`, `If that is not your own server, choose another port: --port ${next}`);
  } catch (error) {
    const { message, remedy } = toFailure(error);
    return fail("port", message, remedy);
  }
}
