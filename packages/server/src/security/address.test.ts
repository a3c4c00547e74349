import { describe, expect, it } from "vitest";
import { callerOf, isInRange, readAddress, readRange } from "./address.ts";
import { findClient, readProxies } from "./client-address.ts";

describe("an address", () => {
  it.each([
    ["127.0.0.1", "::ffff:127.0.0.1"],
    ["10.1.2.3", "::FFFF:0a01:0203"],
    ["::1", "0:0:0:0:0:0:0:1"],
    ["2001:db8::1", "[2001:0db8:0:0::1]"],
    ["fe80::1%eth0", "fe80::1"],
  ])("%s is the same as %s", (one, other) => {
    expect(readAddress(one)).toBeDefined();
    expect(readAddress(one)).toBe(readAddress(other));
  });

  it.each([
    "",
    "unknown",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.2.3.-4",
    ":::",
    "1::2::3",
    "12345::",
    "g::1",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "::1.2.3.400",
    "127.0.0.1:80",
    "_hidden",
  ])("is not %j", (text) => {
    expect(readAddress(text)).toBeUndefined();
  });

  it.each([
    ["10.0.0.0/8", "10.255.0.1", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["192.168.1.7", "192.168.1.7", true],
    ["192.168.1.7", "192.168.1.8", false],
    ["0.0.0.0/0", "203.0.113.9", true],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["2001:db8::/32", "2001:db8:1::9", true],
    ["::/0", "10.0.0.1", true],
  ])("in %s: %s is %s", (range, address, isIn) => {
    expect(isInRange(readAddress(address) ?? 0n, readRange(range) ?? { start: 1n, bits: 128 })).toBe(isIn);
  });

  it.each(["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129", "proxy.example", "10.0.0.0/x"])(
    "is not a range when it is %s",
    (text) => {
      expect(readRange(text)).toBeUndefined();
      expect(() => readProxies([text])).toThrow("not");
    },
  );

  it("of a network of long ones counts for all of them, a short one for itself", () => {
    const caller = (text: string): string => callerOf(readAddress(text) ?? 0n);
    expect(caller("2001:db8:0:1::1")).toBe(caller("2001:db8:0:1:ffff::2"));
    expect(caller("2001:db8:0:1::1")).not.toBe(caller("2001:db8:0:2::1"));
    expect(caller("10.0.0.1")).not.toBe(caller("10.0.0.2"));
  });
});

describe("where a request comes from", () => {
  const proxies = readProxies(["10.0.0.0/8", "::1"]);
  it.each([
    ["a stranger, whatever it says", "203.0.113.5", "198.51.100.1", "203.0.113.5"],
    ["a proxy's word", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["what the client wrote before the proxy did", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
    ["two proxies", "10.0.0.1", "198.51.100.1, 10.9.9.9", "198.51.100.1"],
    ["a proxy that says nothing", "10.0.0.1", null, "10.0.0.1"],
    ["a proxy that says nonsense", "10.0.0.1", "unknown", "10.0.0.1"],
    ["nonsense behind an address", "10.0.0.1", "1.1.1.1, unknown", "10.0.0.1"],
    ["a proxy for a proxy", "::1", "10.0.0.7", "10.0.0.7"],
  ])("is found for %s", (_, remote, forwarded, expected) => {
    expect(findClient(remote, forwarded, proxies)).toBe(readAddress(expected));
  });

  it("is not known where the platform does not say", () => {
    expect(findClient(undefined, "198.51.100.1", proxies)).toBeUndefined();
  });
});
