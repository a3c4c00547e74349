import { usageFailure } from "../output/failure.ts";

/** Splits `127.0.0.1:8080`, `[::1]:8080` or `:8080`. */
export function parseAddress(address: string): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]*)):(\d{1,5})$/i.exec(address) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) {
    throw usageFailure(`${JSON.stringify(address)} is no address.`, "Write a host and a port, as in 127.0.0.1:8080.");
  }
  return { host: bracketed ?? (plain === "" || plain === undefined ? "0.0.0.0" : plain), port };
}
