import type { AgentEvent, MailboxEntry, RunRecord } from "@reprise/contracts";
import type { SeededRandom } from "../random/seeded-random.ts";
import { pauseFor } from "../workload/pause-for.ts";
import type { Connections } from "./connections.ts";
import { NOTHING_MORE } from "./transport.ts";

export interface FollowedRun {
  readonly run_id: string;
  readonly thread_id: string;
  readonly random: SeededRandom;
  /** Whether to stop where the run waits, instead of staying until it is done. */
  readonly endsWaiting?: boolean;
  onEvent(event: AgentEvent): void;
}

/** A stream that says nothing for this long is opened anew: its worker may be held. */
const IDLE_MS = 2_500;
/** How often a client cuts its own stream: about once in so many events. */
const EVENTS_A_CUT = 60;

/** Reads a run's events to its end, over any number of streams, each going on where the one before broke off. */
export async function followRun(connections: Connections, followed: FollowedRun): Promise<void> {
  let cursor: string | undefined;
  let isOver = false;
  const take = (event: AgentEvent, at: string): void => {
    cursor = at;
    isOver =
      event.type === "run_finish" && (event.data.termination.type !== "suspended" || followed.endsWaiting === true);
    followed.onEvent(event);
  };
  for (;;) {
    const reason = await readStream(connections, followed, cursor, take, () => isOver);
    if (isOver) return;
    // Told that there is nothing more before the end was seen: the checker will say so; the reader begins anew.
    if (reason === NOTHING_MORE) cursor = undefined;
    if (reason === "end" && (await isGone(connections, followed))) return;
    if (reason !== "cut by the client") await pauseFor(reason === "end" ? 10 : 50);
  }
}

/** Reads one stream until it closes; returns why it did. */
async function readStream(
  connections: Connections,
  { run_id, random }: FollowedRun,
  after: string | undefined,
  take: (event: AgentEvent, cursor: string) => void,
  isOver: () => boolean,
): Promise<string> {
  const client = await connections.any();
  return new Promise((resolve) => {
    let idle: NodeJS.Timeout | undefined;
    const cut = (): void => end();
    const restart = (): void => {
      clearTimeout(idle);
      idle = setTimeout(cut, IDLE_MS);
    };
    restart();
    const end = client.listen(
      { run_id, after, follow: true },
      {
        event(event, cursor) {
          restart();
          take(event, cursor);
          const isCut = !isOver() && random.chance(1 / EVENTS_A_CUT);
          if (isCut) connections.log.note({ type: "fault", fault: `stream cut at ${event.type}` });
          if (isCut || isOver()) queueMicrotask(cut);
        },
        closed(reason) {
          clearTimeout(idle);
          resolve(reason);
        },
      },
    );
  });
}

/** What a worker answers about a run. */
export interface RunState {
  readonly run: RunRecord | null;
  readonly entry: MailboxEntry | null;
}

export async function askRunState(
  connections: Connections,
  { run_id, thread_id }: Pick<FollowedRun, "run_id" | "thread_id">,
): Promise<RunState> {
  const reply = await connections.askUntilDefinite({ op: "run_state", run_id, thread_id });
  // The answer of `run_state` is one.
  return "answer" in reply ? (reply.answer as unknown as RunState) : { run: null, entry: null };
}

const NEVER_RAN: readonly MailboxEntry["status"][] = ["superseded", "cancelled", "dead_letter"];

/** Whether a request never became a run of its own, and never will. */
async function isGone(connections: Connections, followed: FollowedRun): Promise<boolean> {
  const { run, entry } = await askRunState(connections, followed);
  if (run !== null || entry === null) return false;
  return entry.into_run !== undefined || NEVER_RAN.includes(entry.status);
}
