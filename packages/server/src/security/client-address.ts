import { invalidRequest } from "@reprise/contracts";
import { type AddressRange, isInRange, readAddress, readRange } from "./address.ts";

/** Reads the list of proxies a server stands behind: addresses and ranges. */
export function readProxies(proxies: readonly string[]): readonly AddressRange[] {
  return proxies.map((proxy) => {
    const range = readRange(proxy);
    if (range === undefined) throw invalidRequest(`A proxy is an address or a range such as 10.0.0.0/8, not ${proxy}.`);
    return range;
  });
}

/**
 * The address of the client. Headers can be forged: they count as far as a listed proxy wrote them, so
 * it is read from its end, and the first address that is no proxy of ours is the client's.
 */
export function findClient(
  remote: string | undefined,
  forwarded: string | null,
  proxies: readonly AddressRange[],
): bigint | undefined {
  const isProxy = (address: bigint): boolean => proxies.some((range) => isInRange(address, range));
  let client = readAddress(remote ?? "");
  for (const hop of (forwarded ?? "").split(",").reverse()) {
    if (client === undefined || !isProxy(client)) break;
    const named = readAddress(hop.trim());
    if (named === undefined) break;
    client = named;
  }
  return client;
}
