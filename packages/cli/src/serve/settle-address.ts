import { confirm, isCancel } from "@clack/prompts";
import { isPlainObject } from "@reprise/contracts/shape";
import { CommandFailure } from "../output/failure.ts";
import type { Output } from "../output/output.ts";
import { type Address, formatAddress } from "../settings/read-address.ts";
import { findNextPort, tryToListen } from "./find-port.ts";

/** The address to listen on. When its port is in use, a person at a terminal is offered the next free one. */
export async function settleAddress(address: Address, output: Output): Promise<Address> {
  if ((await tryToListen(address)) !== "EADDRINUSE") return address;
  const next = await findNextPort(address);
  const taken = `${formatAddress(address)} is already in use by ${await nameOwner(address)}.`;
  if (next !== undefined && output.isPerson) {
    const answer = await confirm({ message: `${taken} Use port ${next} instead?` });
    if (!isCancel(answer) && answer) return { ...address, port: next };
  }
  throw portTaken(taken, next);
}

function portTaken(message: string, next: number | undefined): CommandFailure {
  const isStart = process.env.npm_lifecycle_event === "start";
  const remedy = `Stop it, or choose the next free port: ${isStart ? "npm start -- " : ""}--port ${next ?? 0}`;
  return new CommandFailure(message, { code: "EADDRINUSE", remedy });
}

const PROBE_MS = 1_000;

/** Whether it is one of ours: people start a second one by mistake. */
async function nameOwner({ host, port }: Address): Promise<string> {
  try {
    const reached = host === "0.0.0.0" ? "127.0.0.1" : host;
    const url = `http://${formatAddress({ host: reached, port })}/health`;
    const health: unknown = await (await fetch(url, { signal: AbortSignal.timeout(PROBE_MS) })).json();
    return isPlainObject(health) && "durability" in health ? "another Reprise server" : "another program";
  } catch {
    return "another program";
  }
}
