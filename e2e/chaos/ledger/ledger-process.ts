/**
 * The truth about side effects, in a process of its own that no fault touches. A line is in the file, through `O_APPEND` and
 * `O_SYNC`, before the process that wrote it is answered.
 */
import { constants, openSync, writeSync } from "node:fs";
import { createServer } from "node:net";
import { readInstruction } from "../fleet/read-instruction.ts";
import { speakLines } from "../wire/json-lines.ts";
import type { LedgerLine } from "./ledger-line.ts";

/** Where the ledger listens, and where it writes. */
export interface LedgerInstruction {
  readonly socket: string;
  readonly file: string;
}

interface LedgerRequest {
  readonly id: number;
  readonly line: LedgerLine;
}

// The rig started this process for this.
const { socket: path, file } = (await readInstruction()) as LedgerInstruction;
const { O_APPEND, O_CREAT, O_SYNC, O_WRONLY } = constants;
const descriptor = openSync(file, O_APPEND | O_CREAT | O_SYNC | O_WRONLY, 0o600);
let number = 0;

const server = createServer((socket) => {
  const lines = speakLines(socket, {
    message(message) {
      // Only tools of the rig speak to the ledger.
      const { id, line } = message as LedgerRequest;
      number += 1;
      writeSync(descriptor, `${JSON.stringify({ ...line, number, at: Date.now() })}\n`);
      lines.send({ id, number });
    },
    closed() {},
  });
});

server.listen(path, () => process.stdout.write("ready\n"));
