import { resolve } from "node:path";
import { backupSqlite } from "reprise/advanced";
import { assertStoreExists } from "../compose/open-store.ts";
import { describeStore, planStore } from "../compose/plan-store.ts";
import { readSetup } from "../compose/read-setup.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { CommandFailure, usageFailure } from "../output/failure.ts";
import type { CommandInput } from "./command.ts";

/** How to copy the stores that have better means of their own. */
const ELSEWHERE = {
  file: "Stop the process that has it, then copy the folder: cp -a",
  postgres: "Use the database's own tool: pg_dump --format=custom",
  nats: "Use the database's own tool, after the processes ended: pg_dump --format=custom",
  memory: "It is gone with its process.",
  module: "Leave --agents out and name the folder of the SQLite file: --storage-dir",
} as const;

/** Copies the SQLite file, also while a process works on it. */
export async function backup({ settings, output, arguments: [file = ""] }: CommandInput): Promise<ExitCode> {
  const { config, module } = await readSetup(settings);
  if (module?.runtime !== undefined || module?.options.store !== undefined)
    throw usageFailure("A store that a module opens cannot be found by its file.", ELSEWHERE.module);
  const plan = planStore(settings, config.store);
  if (plan.kind !== "sqlite") {
    const message = `Only a SQLite store can be backed up here, and this is ${describeStore(plan)}.`;
    throw new CommandFailure(message, { exitCode: EXIT_CODES.misused, remedy: ELSEWHERE[plan.kind] });
  }
  assertStoreExists(plan);
  output.progress("Copying …");
  const made = await backupSqlite(plan.file, resolve(file));
  output.answer(made, () => `${made.file} is a copy of ${describeStore(plan)}: ${made.bytes} bytes.`);
  return EXIT_CODES.ok;
}
