import type { JetStreamManager } from "@nats-io/jetstream";
import { decodeMessage } from "../../src/nats-buffered/buffer-message.ts";

/** A message of a stream as a test looks at it. */
export interface SeenMessage {
  readonly seq: number;
  readonly subject: string;
  readonly data: Uint8Array;
  readonly message: ReturnType<typeof decodeMessage>;
}

/** Everything that is in a stream, in order. */
export async function readStream({ streams }: JetStreamManager, name: string): Promise<readonly SeenMessage[]> {
  const { state } = await streams.info(name);
  const seen: SeenMessage[] = [];
  for (let seq = Math.max(state.first_seq, 1); seq <= state.last_seq; seq += 1) {
    const found = await streams.getMessage(name, { seq });
    if (found === null) continue;
    const { subject, data } = found;
    seen.push({ seq, subject, data, message: decodeMessage(data) });
  }
  return seen;
}

/** The versions that wait in a stream. */
export async function versionsIn(manager: JetStreamManager, name: string): Promise<readonly number[]> {
  const seen = await readStream(manager, name);
  return seen.flatMap(({ message }) => (message.kind === "commit" ? [message.version] : []));
}
