import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FoundService } from "../../../../scripts/services/find-service.mjs";
import { freePort } from "../support/free-port.ts";

/** A NATS server of the tests' own, on this machine, with JetStream and nothing in it. */
export interface NatsServer {
  readonly url: string;
  readonly monitorUrl: string;
  /** Ends it without a chance to tidy up. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops it for a while: it is there, and says nothing from when this resolves. */
  pause(): Promise<void>;
  resume(): void;
  /** Takes what it has stored; to be called while it is ended. */
  empty(): void;
  stop(): Promise<void>;
}

/** Where there is a disk in memory, servers of tests are on it: none of them has to survive. */
const PARENT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Starts a server. It is there when this resolves. */
export async function startNats(
  { binary }: Pick<FoundService, "binary">,
  { hasJetStream = true }: { readonly hasJetStream?: boolean } = {},
): Promise<NatsServer> {
  const folder = mkdtempSync(join(PARENT, "reprise-nats-"));
  const data = join(folder, "data");
  const [port, monitorPort] = [await freePort(), await freePort()];
  const place = ["-a", "127.0.0.1", "-p", `${port}`, "-m", `${monitorPort}`];
  const parameters = hasJetStream ? [...place, "-js", "-sd", data] : place;
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(binary, parameters, { stdio: "ignore" });
    await untilGreeting(port, child);
  };
  const kill = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, "exit");
    running.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    monitorUrl: `http://127.0.0.1:${monitorPort}`,
    kill,
    start,
    async pause() {
      child?.kill("SIGSTOP");
      // The signal is on its way when `kill` returns; on a busy machine the server may answer once more before it arrives.
      while (await greets(port)) await new Promise((resolve) => setTimeout(resolve, 25));
    },
    resume: () => child?.kill("SIGCONT"),
    empty: () => rmSync(data, { recursive: true, force: true }),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the server greets; one that ended never will. */
async function untilGreeting(port: number, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) break;
    if (await greets(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("The NATS server did not start.");
}

/** Whether a server answers there: a running one greets a client, a stopped one only lets it wait. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("data", () => end(true));
    socket.once("error", () => end(false));
    socket.setTimeout(200, () => end(false));
  });
}
