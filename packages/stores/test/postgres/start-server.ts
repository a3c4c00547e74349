import { execFile } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { FoundService } from "../../../../scripts/services/find-service.mjs";
import { freePort } from "../support/free-port.ts";

/** A Postgres server of the tests' own, on this machine, with an empty cluster. */
export interface PostgresServer {
  readonly url: string;
  /** Ends it without a chance to tidy up, and starts it again, with other settings if given. */
  restart(settings?: Readonly<Record<string, string>>): Promise<void>;
  /** Ends it the same way. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const run = promisify(execFile);

/** Where there is a disk in memory, servers of tests are on it: none of them has to survive. */
const PARENT = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Postgres refuses to be root; then it is whoever nobody is. */
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;
const AS_NOBODY = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

/** Starts a server. `settings` are those of `postgresql.conf`; by default it flushes nothing. */
export async function startServer(
  { binary }: Pick<FoundService, "binary">,
  settings: Readonly<Record<string, string>> = { fsync: "off" },
): Promise<PostgresServer> {
  // A link to the server may be alone where it is.
  const programs = dirname(realpathSync(binary));
  const folder = mkdtempSync(join(PARENT, "reprise-postgres-"));
  if (IS_ROOT) chownSync(folder, NOBODY, NOBODY);
  const data = join(folder, "data");
  const as = (program: string, parameters: readonly string[]): readonly [string, readonly string[]] => {
    const path = join(programs, program);
    return IS_ROOT ? ["setpriv", [...AS_NOBODY, path, ...parameters]] : [path, parameters];
  };
  await run(
    ...mutable(as("initdb", ["-D", data, "-U", "reprise", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"])),
  );
  const port = await freePort();
  let current = settings;
  const place = { port: String(port), listen_addresses: "127.0.0.1", unix_socket_directories: folder };
  const control = (...parameters: readonly string[]) =>
    run(...mutable(as("pg_ctl", ["-D", data, "-w", "-t", "20", "-l", join(folder, "log"), ...parameters])));
  const start = async (): Promise<void> => {
    const all = Object.entries({ ...place, max_connections: "60", ...current });
    await control("-o", all.map(([name, value]) => `-c ${name}=${value}`).join(" "), "start");
  };
  const kill = async (): Promise<void> => {
    await control("-m", "immediate", "stop");
  };
  await start();
  return {
    url: `postgres://reprise@127.0.0.1:${port}/postgres`,
    start,
    kill,
    async restart(other = current) {
      current = other;
      await kill();
      await start();
    },
    async stop() {
      await kill().catch(() => undefined);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function mutable([program, parameters]: readonly [string, readonly string[]]): [string, string[]] {
  return [program, [...parameters]];
}
