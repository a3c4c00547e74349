import { usageFailure } from "../output/failure.ts";
import { type Settings, SOURCES } from "./settings.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where the server listens: `--http-addr`, with the port of `--port` unless the address was set closer to the command. */
export function readAddress(settings: Settings, configured: string | undefined): Address {
  const address = parseAddress(settings.text("httpAddr", configured));
  const port = settings.value("port");
  const rank = (name: "httpAddr" | "port"): number => SOURCES.indexOf(settings.sourceOf(name));
  if (port === undefined || rank("port") < rank("httpAddr")) return address;
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT)
    throw usageFailure(`--port must be a number from 0 to ${MAX_PORT} (got ${JSON.stringify(port)}).`);
  return { ...address, port: Number(port) };
}

const MAX_PORT = 65_535;

/** Splits `127.0.0.1:8080`, `[::1]:8080` or `:8080`. */
export function parseAddress(address: string): Address {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]*)):(\d{1,5})$/i.exec(address) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > MAX_PORT) {
    throw usageFailure(`The address must be a host and a port, as in 127.0.0.1:8080 (got ${JSON.stringify(address)}).`);
  }
  return { host: bracketed ?? (plain === "" || plain === undefined ? "0.0.0.0" : plain), port };
}

/** As it is written: IPv6 in brackets. */
export function formatAddress({ host, port }: Address): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
