import { Session } from "node:inspector/promises";
import type { CpuProfile } from "./summarize-profile.ts";

/** The profile of one thread. */
export interface NamedProfile {
  readonly thread: string;
  readonly profile: CpuProfile;
}

const INTERVAL_US = 200;

/** Profiles all threads of this process during some work: the main thread and the workers that run. */
export async function profileThreads(work: () => Promise<void>): Promise<readonly NamedProfile[]> {
  const session = new Session();
  session.connect();
  // Answers of workers do not keep the process alive.
  const keepAlive = setInterval(() => {}, 1_000);
  const workers = await attachToWorkers(session);
  const threads: readonly (readonly [string, Post])[] = [
    ["main thread", (method, parameters) => session.post(method, parameters)],
    ...workers,
  ];
  for (const [, post] of threads) {
    await post("Profiler.enable");
    await post("Profiler.setSamplingInterval", { interval: INTERVAL_US });
    await post("Profiler.start");
  }
  await work();
  const profiles: NamedProfile[] = [];
  for (const [thread, post] of threads) {
    // As the protocol of the inspector has it.
    const { profile } = (await post("Profiler.stop")) as { readonly profile: CpuProfile };
    profiles.push({ thread, profile });
  }
  session.disconnect();
  clearInterval(keepAlive);
  return profiles;
}

/** Sends a command of the inspector's protocol to a thread. */
type Post = (method: string, parameters?: object) => Promise<unknown>;

async function attachToWorkers(session: Session): Promise<readonly (readonly [string, Post])[]> {
  const workers: (readonly [string, Post])[] = [];
  const waiting = new Map<number, (result: unknown) => void>();
  let messages = 0;
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId, workerInfo } }) => {
    const post: Post = (method, params = {}) => {
      messages += 1;
      const id = messages;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        void session.post("NodeWorker.sendMessageToWorker", {
          sessionId,
          message: JSON.stringify({ id, method, params }),
        });
      });
    };
    workers.push([`worker ${workerInfo.title || workerInfo.url.replace(/^.*\//, "")}`, post]);
  });
  session.on("NodeWorker.receivedMessageFromWorker", ({ params: { message } }) => {
    // An answer has the id of its command; events of the protocol have none.
    const { id, result } = JSON.parse(message) as { readonly id?: number; readonly result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  await session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
  return workers;
}
