import { oneOf } from "./read-values.ts";
import type { Settings } from "./settings.ts";

/** Whether opening a database may create and update its tables. */
export function readMigrates(settings: Settings): boolean {
  return oneOf("--migrate", settings.text("migrate"), ["auto", "never"]) === "auto";
}
