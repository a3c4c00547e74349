import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { SkillError } from "./skill-files.ts";

/** How scripts of skills are run. */
export interface ScriptOptions {
  /** Names of environment variables that scripts get, besides `PATH`, `LANG`, `LC_ALL` and `TZ`. */
  readonly environment?: readonly string[];
  /** How long a script may run; 60 seconds unless given. */
  readonly timeoutMs?: number;
  /** How much memory each process of a script may reserve; 2 GiB unless given. */
  readonly maxMemoryBytes?: number;
  /** A command that runs the script in a sandbox of its own, such as `["bwrap", …]`. Without it scripts get Linux namespaces where there are some. */
  readonly sandbox?: readonly string[];
}

/** The outcome of a script. */
export interface ScriptOutcome {
  readonly ok: boolean;
  /** Null when it was stopped. */
  readonly exit_code: number | null;
  /** Why it was stopped. */
  readonly stopped?: "timeout" | "output_limit" | "cancelled";
  readonly stdout_truncated: boolean;
  readonly stderr_truncated: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

const MAX_KEPT = 32_768;
/** A script that says more than this is stopped: reading on would cost more than it is worth. */
const MAX_READ = 1_048_576;
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MEMORY = 2_147_483_648;
const MAX_FILE_BYTES = 67_108_864;
const MAX_PROCESSES = 256;
/** How long a script may clean up after SIGTERM. */
const GRACE_MS = 500;

const INTERPRETERS: Readonly<Record<string, string>> = { ".sh": "bash", ".py": "python3" };

/** The program that runs a script, by the script's name. */
export function interpreterOf(path: string): string {
  const interpreter = INTERPRETERS[extname(path)];
  if (interpreter !== undefined) return interpreter;
  throw new SkillError("invalid_path", "A script must be a .sh or a .py file.");
}

/**
 * Sets limits, then becomes the script. The text is fixed and the script's words are its arguments: nothing of them is read as shell. A limit that a
 * platform does not have is passed over.
 */
const LIMITED = `ulimit -c 0 2>/dev/null
ulimit -t "$1" 2>/dev/null
ulimit -f "$2" 2>/dev/null
ulimit -v "$3" 2>/dev/null
[ "$4" = 0 ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" 2>/dev/null
shift 4
exec "$@"`;

/** New namespaces: no network, and processes that end with the first of them, also those that left its group. */
const NAMESPACES = ["unshare", "--user", "--map-current-user", "--net", "--pid", "--fork", "--kill-child"];
/** The best first. With a `/proc` of its own a script does not see other processes; a container may not allow that. */
const SANDBOXES = [[...NAMESPACES, "--mount-proc"], NAMESPACES];

export interface ScriptCall {
  readonly file: string;
  readonly arguments: readonly string[];
  /** The folder of the skill. */
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Runs a script in a process of its own: argv only, a small environment, limits, a private folder for temporary files. Leaves nothing running. */
export async function runScript(call: ScriptCall, options: ScriptOptions): Promise<ScriptOutcome> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxMemoryBytes = DEFAULT_MEMORY } = options;
  const temporary = await mkdtemp(join(tmpdir(), "reprise-skill-"));
  const mark = randomUUID();
  const sandbox = options.sandbox ?? (await findSandbox());
  const limits = [
    Math.ceil(timeoutMs / 1_000) + 1,
    MAX_FILE_BYTES / 512,
    Math.floor(maxMemoryBytes / 1_024),
    // The limit counts all processes of a user, and only those of the sandbox inside one.
    sandbox.length > 0 ? MAX_PROCESSES : 0,
  ].map(String);
  const script = [interpreterOf(call.file), call.file, ...call.arguments];
  const [command = "sh", ...argv] = [...sandbox, "sh", "-c", LIMITED, "sh", ...limits, ...script];
  try {
    const child = spawn(command, argv, {
      cwd: call.folder,
      detached: true,
      env: environmentFor(options.environment ?? [], temporary, mark),
      stdio: ["ignore", "pipe", "pipe"],
    });
    return await watch(child, mark, timeoutMs, call.signal);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Nothing of the server's environment but what is named. */
function environmentFor(names: readonly string[], temporary: string, mark: string): Record<string, string> {
  const kept = ["PATH", "LANG", "LC_ALL", "TZ", ...names].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(kept), HOME: temporary, TMPDIR: temporary, [MARK]: mark };
}

/** By this variable the processes of a script are found again, wherever they went. */
const MARK = "REPRISE_SKILL_SCRIPT";

async function watch(
  child: ChildProcess,
  mark: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ScriptOutcome> {
  const ended = Promise.withResolvers<number | null>();
  let stopped: ScriptOutcome["stopped"];
  let read = 0;
  const stop = (why: NonNullable<ScriptOutcome["stopped"]>): void => {
    if (stopped !== undefined) return;
    stopped = why;
    signalGroup(child, "SIGTERM");
    timers.push(setTimeout(() => signalGroup(child, "SIGKILL"), GRACE_MS));
  };
  const timers = [setTimeout(() => stop("timeout"), timeoutMs)];
  const cancel = (): void => stop("cancelled");
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  const onRead = (bytes: number): void => {
    read += bytes;
    if (read > MAX_READ) stop("output_limit");
  };
  const stdout = keepOutput(child.stdout, onRead);
  const stderr = keepOutput(child.stderr, onRead);
  child.once("error", ended.reject);
  child.once("exit", (code) => ended.resolve(code));
  try {
    const code = await ended.promise;
    return {
      ok: code === 0 && stopped === undefined,
      exit_code: stopped === undefined ? code : null,
      ...(stopped !== undefined && { stopped }),
      ...(await collect(child, mark, stdout, stderr)),
    };
  } catch (error) {
    throw new SkillError(
      "script_failed",
      `The script could not be started: ${(error as NodeJS.ErrnoException).code ?? "error"}.`,
    );
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
}

/** Collects the output up to the end. Processes that the script left behind are ended here, so that none keeps the pipes open. */
async function collect(
  child: ChildProcess,
  mark: string,
  stdout: KeptOutput,
  stderr: KeptOutput,
): Promise<Pick<ScriptOutcome, "stdout" | "stderr" | "stdout_truncated" | "stderr_truncated">> {
  signalGroup(child, "SIGKILL");
  await killMarked(mark);
  const patience = setTimeout(() => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, GRACE_MS);
  await Promise.all([stdout.closed, stderr.closed]);
  clearTimeout(patience);
  const [out, error] = [stdout.text(), stderr.text()];
  return {
    stdout: out.text,
    stderr: error.text,
    stdout_truncated: out.isTruncated,
    stderr_truncated: error.isTruncated,
  };
}

interface KeptOutput {
  readonly closed: Promise<void>;
  text(): { readonly text: string; readonly isTruncated: boolean };
}

function keepOutput(stream: ChildProcess["stdout"], onRead: (bytes: number) => void): KeptOutput {
  const chunks: Buffer[] = [];
  let kept = 0;
  let isTruncated = false;
  const closed = Promise.withResolvers<void>();
  if (stream === null) closed.resolve();
  stream?.on("data", (chunk: Buffer) => {
    onRead(chunk.length);
    const room = MAX_KEPT - kept;
    if (room > 0) chunks.push(chunk.subarray(0, room));
    kept += Math.min(room, chunk.length);
    isTruncated ||= chunk.length > room;
  });
  stream?.on("error", () => undefined);
  stream?.once("close", () => closed.resolve());
  return {
    closed: closed.promise,
    text: () => ({
      text: new TextDecoder().decode(Buffer.concat(chunks), { stream: isTruncated }).replaceAll("\u0000", "\ufffd"),
      isTruncated,
    }),
  };
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

const MAX_ROUNDS = 5;

/** Ends processes that left the script's group. Linux shows each one's environment, which they inherit. */
async function killMarked(mark: string): Promise<void> {
  if (process.platform !== "linux") return;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
    const marked = await Promise.all(
      pids.map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "");
        return environment.includes(`${MARK}=${mark}`) ? [Number(pid)] : [];
      }),
    );
    const left = marked.flat();
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended.
      }
    }
  }
}

let found: Promise<readonly string[]> | undefined;

/** The best sandbox that there is here, or none; looked for once. */
function findSandbox(): Promise<readonly string[]> {
  found ??= (async () => {
    for (const sandbox of SANDBOXES) if (await works(sandbox)) return sandbox;
    return [];
  })();
  return found;
}

function works([command = "", ...argv]: readonly string[]): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe = spawn(command, [...argv, "true"], { stdio: "ignore" });
  probe.once("error", () => resolve(false));
  probe.once("exit", (code) => resolve(code === 0));
  return promise;
}
