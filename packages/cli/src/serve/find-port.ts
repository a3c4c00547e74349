import { createServer } from "node:net";
import type { Address } from "../settings/read-address.ts";

/** Why an address cannot be listened on, as Node's error code; undefined when it can. */
export function tryToListen({ host, port }: Address): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

/** More ports than a developer has servers. */
const ATTEMPTS = 20;

/** The next port after one that is taken; undefined when none of the next is free. */
export async function findNextPort(taken: Address): Promise<number | undefined> {
  for (let port = taken.port + 1; port <= Math.min(taken.port + ATTEMPTS, 65_535); port++) {
    if ((await tryToListen({ ...taken, port })) === undefined) return port;
  }
  return undefined;
}
