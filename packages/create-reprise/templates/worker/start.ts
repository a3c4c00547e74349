import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

// Everything on one machine: the tables are made, then one process answers and two work. Elsewhere each is a process of its own.
if (process.env.DATABASE_URL === undefined) {
  console.error(
    "DATABASE_URL is not set. Copy .env.example to .env, and start a database: docker compose up --detach postgres",
  );
  process.exit(1);
}

/** What the scripts of package.json do, without npm between: it ends before the program that it started. */
function run(...words: readonly string[]): ChildProcess {
  // In a group of its own, so that Ctrl-C reaches it once, through this process.
  const options = { stdio: "inherit", detached: true } as const;
  return spawn(process.execPath, ["node_modules/@reprise/cli/dist/main.js", ...words], options);
}

const [migrated] = await once(run("migrate"), "exit");
if (migrated !== 0) process.exit(1);
const serve = (...words: readonly string[]): ChildProcess => run("serve", "agents.ts", "--migrate", "never", ...words);
const worker = ["--role", "worker", "--port", "0"];
const processes = [serve("--role", "api"), serve(...worker), serve(...worker)];

function stop(): void {
  for (const each of processes) each.kill("SIGTERM");
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
await Promise.all(processes.map((each) => once(each, "exit")));
