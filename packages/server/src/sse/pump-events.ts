import type { EventIterator } from "@reprise/runtime";
import { describeError } from "../http/describe-error.ts";
import type { ServerMetrics } from "../http/server-metrics.ts";
import { OPENING } from "./encode-frame.ts";
import type { FrameEncoding } from "./frame-encoding.ts";
import { endOfTurn, JoinedWriter } from "./joined-writer.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { Outlet } from "./outlet.ts";
import type { StreamSlot } from "./stream-slots.ts";

/** The parts of a server that its streams share. */
export interface StreamHost {
  readonly streams: OpenStreams;
  readonly metrics: Pick<ServerMetrics, "events" | "droppedStreams">;
  report(error: unknown): void;
}

/**
 * Writes events to a client until there are no more or it is gone. A client that does not read is not read for either: what it
 * misses stays in the journal. The run knows nothing of it.
 */
export async function pumpEvents<Item>(
  host: StreamHost,
  slot: StreamSlot,
  outlet: Outlet,
  events: EventIterator<Item>,
  encoding: FrameEncoding<Item>,
): Promise<void> {
  const { streams, metrics } = host;
  const writer = new JoinedWriter(outlet);
  streams.add(outlet, writer, slot);
  writer.push(OPENING);
  // With the first events if they come in this turn, and otherwise alone: a client knows then that its request was taken.
  let hasBegun = false;
  void endOfTurn().then(() => hasBegun || writer.flush());
  try {
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      hasBegun = true;
      writer.push(encoding.encode(next.value));
      // What else happens in this turn goes out with it.
      await endOfTurn();
      metrics.events += 1 + pushReady(writer, events, encoding);
      writer.flush();
      if (!outlet.hasRoom && !(await writer.waitForRoom(streams.limits.patienceMs))) {
        metrics.droppedStreams += 1;
        return outlet.drop();
      }
      if (outlet.gone.aborted || encoding.isOver) return;
    }
    writer.push(encoding.end());
  } catch (error) {
    // The client sees its stream end and reconnects; then it gets the error.
    if (describeError(error).isOurs) host.report(error);
  } finally {
    writer.flush();
    outlet.end();
    streams.remove(outlet);
  }
}

/** Pushes what is here already, as far as it fits into one write; says how many events that were. */
function pushReady<Item>(writer: JoinedWriter, events: EventIterator<Item>, encoding: FrameEncoding<Item>): number {
  let pushed = 0;
  while (!writer.isFull && !encoding.isOver) {
    const item = events.takeNow();
    if (item === undefined) return pushed;
    writer.push(encoding.encode(item));
    pushed += 1;
  }
  return pushed;
}
