import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

// Everything on one machine: the tables are made, then one process answers and two work. Elsewhere each is a process of its own.
if (process.env.DATABASE_URL === undefined) {
  console.error(
    "DATABASE_URL is not set. Copy .env.example to .env, and start a database: docker compose up --detach postgres",
  );
  process.exit(1);
}

function run(script: string): ChildProcess {
  return spawn("npm", ["run", "--silent", script], { stdio: "inherit", detached: true });
}

const [migrated] = await once(run("migrate"), "exit");
if (migrated !== 0) process.exit(1);
const processes = [run("api"), run("worker"), run("worker")];

// Each script is a group of processes: npm, and the program that it started.
function stop(): void {
  for (const { pid, exitCode } of processes) if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGTERM");
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
await Promise.all(processes.map((each) => once(each, "exit")));
