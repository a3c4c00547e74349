import { type ChildProcess, spawn } from "node:child_process";
import { createLineSplitter, createRpcPeer, type RpcPeer, type RpcPeerOptions } from "@reprise/protocols/acp";
import { type AcpHarness, environmentOf } from "./harness-settings.ts";

/** A program that was started, and the connection to it. */
export interface AgentProcess {
  readonly peer: RpcPeer;
  /** Rejects when the program is gone. Says why, with the last it wrote to standard error. */
  readonly gone: Promise<never>;
  /** Whether the program keeps this process alive. One that waits for a decision need not. */
  hold(isHeld: boolean): void;
  /** Ends the program and everything it started. */
  kill(): void;
}

const LONGEST_COMPLAINT = 2_000;

/** Starts a harness. The connection ends with the program, and the other way round. */
export function startAgentProcess(
  harness: AcpHarness,
  handlers: Pick<RpcPeerOptions, "requests" | "notifications">,
): AgentProcess {
  const { command, args = [], cwd = process.cwd() } = harness;
  const env = environmentOf(harness, process.env);
  // A group of its own: what the program started ends with it.
  const child = spawn(command, [...args], { cwd, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-LONGEST_COMPLAINT);
  });
  const peer = createRpcPeer({ ...handlers, write: (line) => void child.stdin.write(`${line}\n`) });
  const ended = Promise.withResolvers<never>();
  // It may reject before anything awaits it.
  ended.promise.catch(() => undefined);
  const end = (reason: string): void => {
    const said = complaints.trim();
    ended.reject(new Error(said === "" ? reason : `${reason}. It wrote: ${said}`));
    peer.close(reason);
  };
  const kill = (): void => killGroup(child);
  const lines = createLineSplitter(peer.receive, () => {
    end(`The agent ${command} sent a message that is too long`);
    kill();
  });
  child.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(text));
  // A program that is gone is told by its exit.
  child.stdin.on("error", () => undefined);
  child.once("error", (error) => end(`The agent ${command} could not be started: ${error.message}`));
  child.once("close", (code, signal) => end(`The agent ${command} ended (${signal ?? `exit code ${code}`})`));
  const hold = (isHeld: boolean): void => {
    for (const each of [child, child.stdin, child.stdout, child.stderr]) {
      // The streams of a program are sockets, which can be let go.
      const held = each as unknown as Pick<ChildProcess, "ref" | "unref">;
      if (isHeld) held.ref();
      else held.unref();
    }
  };
  return { peer, gone: ended.promise, hold, kill };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}
