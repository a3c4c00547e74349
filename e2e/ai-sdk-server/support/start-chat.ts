import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface ChatServer {
  readonly url: string;
  /** Lets an answer continue that is held under a key. */
  release(key: string): Promise<void>;
  /** `kill -9`: it has no chance to say or store anything. */
  kill(): Promise<void>;
  /** Asks it to end, and waits. Answers its exit code. */
  stop(): Promise<number | null>;
}

/** Starts the server for chats as a process of its own, on a free port unless one is given. */
export async function startChat(place: string, msPerWord = 5, port = 0): Promise<ChatServer> {
  const program = join(import.meta.dirname, "serve-chat.ts");
  const words = ["--conditions=reprise-source", program, place, String(msPerWord), String(port)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [url] = await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then(([code]) => Promise.reject(new Error(`The server ended with ${code}.`))),
  ]);
  return {
    url: String(url),
    async release(key) {
      const body = JSON.stringify({ agentId: "assistant", messages: [{ role: "user", content: `release ${key}` }] });
      const headers = { "content-type": "application/json" };
      await (await fetch(`${url}/v1/runs`, { method: "POST", headers, body })).text();
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = await ended;
      return code;
    },
  };
}
