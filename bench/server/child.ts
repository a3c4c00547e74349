import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Node lets the young generation grow to three times 32 MB when much happens at once, and keeps it. That is the heap's own and not what
 * streams cost, so it is held to half.
 */
const YOUNG = "--max-semi-space-size=16";

/** What a server process says of itself. */
export interface Footprint {
  readonly rss: number;
  readonly heapUsed: number;
  /** The most it ever had. */
  readonly peak: number;
}

/** In a server process: says where it listens, then answers. */
export function answerQuestions(port: number): void {
  process.send?.({ port });
  process.on("message", async () => {
    // Once for what is garbage, and once more for the pages it leaves.
    for (let time = 0; time < 2; time += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({ rss, heapUsed, peak: process.resourceUsage().maxRSS * 1_024 } satisfies Footprint);
  });
  process.on("disconnect", () => process.exit());
}

/** A server process, seen from the benchmark. */
export class Child {
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#process = child;
    this.port = port;
  }

  static async start(file: string, ...parameters: readonly string[]): Promise<Child> {
    const path = fileURLToPath(new URL(file, import.meta.url));
    const child = fork(path, parameters, { execArgv: ["--expose-gc", "--conditions=reprise-source", YOUNG] });
    const { port } = await answer<{ readonly port: number }>(child);
    return new Child(child, port);
  }

  async footprint(): Promise<Footprint> {
    this.#process.send("footprint");
    return answer<Footprint>(this.#process);
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await gone;
  }
}

function answer<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    child.once("message", (message) => resolve(message as Message));
    child.once("exit", (code) => reject(new Error(`The server process ended with ${code}.`)));
  });
}
