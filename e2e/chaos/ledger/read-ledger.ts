import { existsSync, readFileSync } from "node:fs";
import type { LedgerEntry } from "./ledger-line.ts";

/** Everything a ledger holds, in order. */
export function readLedger(file: string): readonly LedgerEntry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  // The ledger's own process wrote them; no other process can.
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LedgerEntry);
}
