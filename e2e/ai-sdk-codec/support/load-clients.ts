import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Client } from "./client.ts";
import { installClients } from "./install-clients.ts";

const FOLDER = fileURLToPath(new URL("../", import.meta.url));

/** Both majors of the official client. */
export async function loadClients(): Promise<readonly Client[]> {
  await installClients(FOLDER);
  return [await load("ai-6"), await load("ai-7")];
}

async function load(name: string): Promise<Client> {
  const path = createRequire(`${FOLDER}package.json`).resolve(name);
  // The package is not there when types are checked; this is the part of it that is used.
  const loaded: Omit<Client, "name"> = await import(pathToFileURL(path).href);
  return { ...loaded, name };
}
