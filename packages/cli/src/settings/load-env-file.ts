import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** Puts what a folder's `.env` says into the environment; what is there already stays. */
export function loadEnvFile(folder: string, environment: NodeJS.ProcessEnv = process.env): void {
  const file = join(folder, ".env");
  if (!existsSync(file)) return;
  for (const [name, value] of Object.entries(parseEnv(readFileSync(file, "utf8")))) environment[name] ??= value;
}
