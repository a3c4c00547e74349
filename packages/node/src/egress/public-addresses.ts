import { BlockList, isIP } from "node:net";

/** Networks outside of the public internet, from IANA's registries of special addresses. */
const SPECIAL: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** The only IPv6 range that is publicly assigned. Parts of it lead to IPv4 or are reserved. */
const GIVEN_OUT = ["2000::", 3] as const;
const NOT_GIVEN_OUT: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const special = new BlockList();
for (const [network, prefix] of SPECIAL) special.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of NOT_GIVEN_OUT) special.addSubnet(network, prefix, "ipv6");
const givenOut = new BlockList();
givenOut.addSubnet(...GIVEN_OUT, "ipv6");

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special.check(address, "ipv4");
  return isIP(address) === 6 && givenOut.check(address, "ipv6") && !special.check(address, "ipv6");
}
