import { EventEmitter } from "node:events";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { PgClient, PgSubmittable } from "./pg-driver.ts";
import { Pipeline } from "./pipeline.ts";
import { SignalReceiver } from "./signal-receiver.ts";
import { ThreadPoll } from "./thread-poll.ts";

const POLL_MS = 500;

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

it("looks after it began to listen for the first time: earlier writes were told to no one", async () => {
  const { looks, receiver } = startReceiver();
  await vi.advanceTimersByTimeAsync(0);
  expect(receiver.isListening).toBe(true);
  expect(looks).toEqual(["looked"]);
});

it("keeps looking when the server ends the connection together with its answer to LISTEN", async () => {
  const { looks, receiver } = startReceiver({ afterListen: (client) => client.emit("error", new Error("ended")) });
  await vi.advanceTimersByTimeAsync(0);
  expect(receiver.isListening).toBe(false);
  await vi.advanceTimersByTimeAsync(4 * POLL_MS);
  expect(looks.length).toBeGreaterThanOrEqual(4);
});

it("looks after it listens again when the connection before ended during a look", async () => {
  const { clients, looks } = startReceiver({
    look: (count) => count === 1 && clients.at(-1)?.emit("error", new Error("ended")),
  });
  await vi.advanceTimersByTimeAsync(0);
  expect([clients.length, looks.length]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect([clients.length, looks.length]).toEqual([2, 2]);
});

it("repeats a look that failed, also while it listens", async () => {
  const { looks, receiver } = startReceiver({
    look: (count) => {
      if (count === 1) throw new Error("away");
    },
  });
  await vi.advanceTimersByTimeAsync(0);
  expect([receiver.isListening, looks]).toEqual([true, ["failed"]]);
  await vi.advanceTimersByTimeAsync(POLL_MS);
  expect(looks).toEqual(["failed", "looked"]);
});

interface Behaviour {
  /** Called in the same turn as the answer to LISTEN arrives. */
  afterListen?(client: EventEmitter): void;
  /** Called at the nth look. */
  look?(count: number): unknown;
}

interface Started {
  readonly receiver: SignalReceiver;
  /** The connections made so far. */
  readonly clients: readonly EventEmitter[];
  readonly looks: readonly string[];
}

function startReceiver({ afterListen, look }: Behaviour = {}): Started {
  const clients: EventEmitter[] = [];
  const looks: string[] = [];
  const receiver = new SignalReceiver({
    createClient: () => {
      const client = createClient(afterListen);
      clients.push(client);
      return client;
    },
    settings: { schema: "s", statementTimeoutMs: 1_000 },
    channel: "c",
    writer: "w",
    createPoll: () =>
      new ThreadPoll(async () => {
        const place = looks.push("failed");
        look?.(place);
        looks[place - 1] = "looked";
        return [[]];
      }),
    tell: () => undefined,
    pollMs: POLL_MS,
  });
  receiver.start();
  onTestFinished(() => receiver.stop());
  return { clients, looks, receiver };
}

/** A connection on which every statement succeeds. */
function createClient(afterListen: Behaviour["afterListen"]): EventEmitter & PgClient {
  const none = (): void => undefined;
  const stream = { cork: none, uncork: none, destroy: none };
  const connection = { stream, parse: none, describe: none, bind: none, execute: none, close: none, sync: none };
  const client = Object.assign(new EventEmitter(), {
    connection,
    connect: async () => undefined,
    query(submitted: PgSubmittable) {
      queueMicrotask(() => {
        submitted.handleReadyForQuery();
        if (isListen(submitted)) afterListen?.(client);
      });
    },
    end: async () => undefined,
    ref: none,
    unref: none,
  });
  return client;
}

function isListen(submitted: PgSubmittable): boolean {
  return (
    submitted instanceof Pipeline && submitted.queries.some(({ statement }) => statement.text.startsWith("listen"))
  );
}
