import { createServer } from "node:net";
import { type AgentEvent, type Store, toRepriseError } from "@reprise/contracts";
import type { Runtime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { type LineSocket, speakLines } from "../wire/json-lines.ts";
import type { AskLine, Refusal, ReplyLine } from "../wire/worker-messages.ts";
import { answerAsk } from "./answer-ask.ts";
import type { FaultPoints } from "./fault-points.ts";
import { Subscriptions } from "./subscriptions.ts";

export interface ServedWorker {
  readonly runtime: Runtime;
  readonly store: Store;
  readonly points: FaultPoints;
  /** Where to listen. */
  readonly socket: string;
  /** What is shown of each event: the event, unless a bug was planted. Made anew for every stream. */
  createDistortion(): (event: AgentEvent) => AgentEvent;
}

/** Answers clients over a local socket, as a server would over HTTP: what is acknowledged here must survive. */
export async function serveClients(served: ServedWorker): Promise<void> {
  const server = createServer((socket) => {
    const subscriptions = new Subscriptions(served, (line) => lines.send(line));
    const lines: LineSocket = speakLines(socket, {
      // Only the rig connects here.
      message: (message) => void serveAsk(served, subscriptions, lines, message as AskLine),
      closed: () => subscriptions.close(),
    });
  });
  await new Promise<void>((resolve) => server.listen(served.socket, resolve));
}

async function serveAsk(
  served: ServedWorker,
  subscriptions: Subscriptions,
  lines: LineSocket,
  { id, ask }: AskLine,
): Promise<void> {
  if (ask.op === "subscribe") return subscriptions.open(ask);
  if (ask.op === "unsubscribe") return subscriptions.end(ask.sub);
  const reply = await replyTo(id, () => answerAsk(served, ask));
  const isAcknowledged = "answer" in reply && ACKNOWLEDGED.includes(ask.op);
  if (isAcknowledged) served.points.visit(`answer.${ask.op}:before`);
  lines.send(reply);
  if (!isAcknowledged) return;
  await lines.flush();
  served.points.visit(`answer.${ask.op}:after`);
}

/** What a client relies on once it is answered. */
const ACKNOWLEDGED: readonly string[] = ["start", "decide", "cancel", "patch"];

async function replyTo(id: number, answer: () => Promise<Json>): Promise<ReplyLine> {
  try {
    return { id, answer: await answer() };
  } catch (error) {
    return { id, refusal: refusalOf(error) };
  }
}

export function refusalOf(error: unknown): Refusal {
  const { code, message, details } = toRepriseError(error);
  // Details are for logs and clients, so they are JSON; what is not is dropped by writing them.
  return { code, message, details: JSON.parse(JSON.stringify(details)) as Refusal["details"] & {} };
}
