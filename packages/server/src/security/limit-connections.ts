import type { Server as HttpServer } from "node:http";
import { callerOf, isInRange, readAddress, readRange } from "./address.ts";

/** A caller on this machine has other ways to do harm, and a proxy on it carries the connections of all clients. */
const HERE = ["127.0.0.0/8", "::1"].map(readRange).filter((range) => range !== undefined);

/** Closes connections of an address that has too many already. Those of proxies are not counted: they are other people's. */
export function limitConnections(http: HttpServer, maxPerAddress: number, isProxy: (address: string) => boolean): void {
  const open = new Map<string, number>();
  http.on("connection", (socket) => {
    const { remoteAddress = "" } = socket;
    const address = readAddress(remoteAddress);
    if (address === undefined || isProxy(remoteAddress) || HERE.some((range) => isInRange(address, range))) return;
    const caller = callerOf(address);
    const count = open.get(caller) ?? 0;
    if (count >= maxPerAddress) return void socket.destroy();
    open.set(caller, count + 1);
    socket.once("close", () => {
      const left = (open.get(caller) ?? 1) - 1;
      if (left > 0) open.set(caller, left);
      else open.delete(caller);
    });
  });
}
