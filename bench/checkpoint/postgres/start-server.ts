import { execFile, spawnSync } from "node:child_process";
import { chownSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findService } from "../../../scripts/services/find-service.mjs";

/** A Postgres server of the benchmark's own, on a disk, that flushes as one does that must not lose anything. */
export interface BenchServer {
  readonly url: string;
  readonly version: string;
  /** Where it writes its log. */
  readonly logFolder: string;
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** Postgres refuses to run as root; then it runs as the user `nobody`. */
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;
const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

/** Everything else is as Postgres comes. Checkpoints would hit the contestant that is being measured. */
const SETTINGS = { max_connections: "200", checkpoint_timeout: "1h", max_wal_size: "8GB" };

/** For a server that writes every statement it executes into a log: never one whose speed is measured. */
export const LOG_STATEMENTS: Readonly<Record<string, string>> = {
  logging_collector: "on",
  log_destination: "jsonlog",
  log_filename: "statements.log",
  log_rotation_size: "0",
  log_rotation_age: "0",
  log_min_duration_statement: "0",
  log_parameter_max_length: "0",
};

export async function startServer(extra: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  const service = findService("postgres");
  if (!service.found) throw new Error(`The benchmark needs Postgres: ${service.reason}.`);
  const programs = dirname(realpathSync(service.binary));
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-postgres-"));
  if (IS_ROOT) chownSync(folder, NOBODY, NOBODY);
  const data = join(folder, "data");
  const command = (program: string, ...parameters: readonly string[]): [string, string[]] => {
    const path = join(programs, program);
    return IS_ROOT ? ["setpriv", [...AS_NOBODY, path, ...parameters]] : [path, [...parameters]];
  };
  const execute = (program: string, ...parameters: readonly string[]) => run(...command(program, ...parameters));
  await execute("initdb", "-D", data, "-U", "reprise", "--auth=trust", "-E", "UTF8", "--locale=C");
  const port = await freePort();
  const settings = {
    port: String(port),
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    ...SETTINGS,
    ...extra,
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  await execute("pg_ctl", "-D", data, "-w", "-l", join(folder, "log"), "-o", options.join(" "), "start");
  const stopping = ["-D", data, "-m", "immediate", "stop"] as const;
  // Whatever ends this process, the server ends with it.
  const stopAtExit = (): void => {
    spawnSync(...command("pg_ctl", ...stopping));
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", stopAtExit);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  return {
    url: `postgres://reprise@127.0.0.1:${port}/postgres`,
    version: service.version,
    logFolder: join(data, "log"),
    async stop() {
      process.off("exit", stopAtExit);
      await execute("pg_ctl", ...stopping).catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A free port. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
