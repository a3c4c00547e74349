import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

/** Everything a folder's `.env` says, as data: nothing of it reaches the environment of this process. */
export function readEnvFile(folder: string): Readonly<Record<string, string | undefined>> {
  const file = join(folder, ".env");
  return existsSync(file) ? { ...parseEnv(readFileSync(file, "utf8")) } : {};
}
