import { describeError } from "../http/describe-error.ts";
import type { ServerHost } from "../server-host.ts";
import { type CursoredEvent, encodeFrame, OPENING } from "./encode-frame.ts";
import { JoinedWriter } from "./joined-writer.ts";
import type { Outlet } from "./outlet.ts";

/**
 * Writes events to a client until there are no more or it is gone. A client that does not read is not read for either: what it
 * misses stays in the journal. The run knows nothing of it.
 */
export async function pumpEvents(
  host: Pick<ServerHost, "streams" | "metrics" | "report">,
  outlet: Outlet,
  events: AsyncIterable<CursoredEvent>,
): Promise<void> {
  const { streams, metrics } = host;
  const writer = new JoinedWriter(outlet);
  streams.add(outlet, writer);
  writer.push(OPENING);
  // At once: a client that knows its request was taken can say so, long before a first word.
  writer.flush();
  try {
    for await (const item of events) {
      writer.push(encodeFrame(item));
      metrics.events += 1;
      if (!outlet.hasRoom && !(await writer.waitForRoom(streams.limits.patienceMs))) {
        metrics.droppedStreams += 1;
        return outlet.drop();
      }
      if (outlet.gone.aborted) return;
    }
  } catch (error) {
    // The client sees its stream end and comes back; what is wrong it is told when it does.
    if (describeError(error).isOurs) host.report(error);
  } finally {
    writer.flush();
    outlet.end();
    streams.remove(outlet);
  }
}
