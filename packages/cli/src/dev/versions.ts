import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { DEV_VARIABLE, type FromServer, type ToServer } from "./dev-messages.ts";

/** One version of the code, in a process of its own. */
interface Version {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  isListening: boolean;
}

export interface VersionsOptions {
  /** The program and the words that serve a version. */
  readonly command: readonly [string, ...string[]];
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly onFiles: (files: readonly string[]) => void;
}

/**
 * The versions of the code that `reprise dev` serves, one after the other. A new one loads its code beside the one that serves;
 * only when that succeeded the old one stops, and the new one takes its store and its port. One that cannot be loaded says why
 * itself, and the old one stays.
 */
export class Versions {
  readonly #options: VersionsOptions;
  #serving: Version | undefined;
  #loading: Version | undefined;
  #port: number | undefined;
  /** One version takes over at a time. */
  #turn: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: VersionsOptions) {
    this.#options = options;
  }

  /** Starts a version for the present code. One that was still loading is given up. */
  start(changed?: string): void {
    if (this.#isStopped) return;
    this.#loading?.process.kill("SIGKILL");
    const { command, environment, note, onFiles } = this.#options;
    const [program, ...words] = command;
    const startedAt = performance.now();
    const child = spawn(program, words, {
      env: { ...environment, [DEV_VARIABLE]: "1" },
      stdio: ["inherit", "inherit", "inherit", "ipc"],
    });
    const version: Version = {
      process: child,
      ended: once(child, "exit").then(([code]) => code),
      isListening: false,
    };
    this.#loading = version;
    child.on("message", (message: FromServer) => {
      if (message.type === "uses") onFiles(message.files);
      else if (message.type === "loaded") this.#turn = this.#turn.then(() => this.#takeOver(version));
      else {
        version.isListening = true;
        this.#port = message.port;
        const took = Math.round(performance.now() - startedAt);
        if (changed !== undefined) note(`Reloaded after a change of ${changed} (${took} ms).`);
      }
    });
    void version.ended.then((code) => this.#onEnd(version, code));
  }

  /** Stops what there is, and starts no more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#loading?.process.kill("SIGKILL");
    await stop(this.#serving);
  }

  /** Ends what there is at once. */
  kill(): void {
    this.#loading?.process.kill("SIGKILL");
    this.#serving?.process.kill("SIGKILL");
  }

  /** The old version gives its runs, its store and its port away before the new one takes them. */
  async #takeOver(version: Version): Promise<void> {
    // A later version may have come while this one waited.
    if (this.#loading !== version || this.#isStopped) return;
    const before = this.#serving;
    this.#serving = version;
    this.#loading = undefined;
    await stop(before);
    const port = this.#port;
    say(version, { type: "open", ...(port !== undefined && { port }) });
  }

  #onEnd(version: Version, code: number | null): void {
    const { warn } = this.#options;
    if (this.#isStopped) return;
    if (this.#loading === version) {
      this.#loading = undefined;
      const stays = this.#serving === undefined ? "" : " The version before keeps serving.";
      warn(`The code was not loaded.${stays} Waiting for a change …`);
    } else if (this.#serving === version) {
      this.#serving = undefined;
      warn(`The server ended with exit code ${code ?? "none"}. Waiting for a change …`);
    }
  }
}

async function stop(version: Version | undefined): Promise<void> {
  if (version === undefined) return;
  say(version, { type: "stop" });
  await version.ended;
}

function say({ process: child }: Version, message: ToServer): void {
  // One that is gone needs to be told nothing.
  if (child.connected) child.send(message, () => undefined);
}
