import { connectLines, type LineSocket } from "../wire/json-lines.ts";
import type { LedgerLine } from "./ledger-line.ts";

/** The way of a worker to the ledger. */
export interface LedgerClient {
  /** Resolves when the line is in the ledger. */
  write(line: LedgerLine): Promise<void>;
}

export async function connectLedger(path: string): Promise<LedgerClient> {
  const waiting = new Map<number, () => void>();
  let last = 0;
  const socket: LineSocket | undefined = await connectLines(path, {
    message(message) {
      // The ledger answers each line with its id.
      const { id } = message as { readonly id: number };
      waiting.get(id)?.();
      waiting.delete(id);
    },
    // Without its ledger a worker proves nothing.
    closed: () => process.exit(1),
  });
  if (socket === undefined) throw new Error(`There is no ledger at ${path}.`);
  return {
    write(line) {
      last += 1;
      const id = last;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        socket.send({ id, line });
      });
    },
  };
}
