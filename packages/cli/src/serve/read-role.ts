import { planStore } from "../compose/plan-store.ts";
import type { Setup } from "../compose/read-setup.ts";
import { usageFailure } from "../output/failure.ts";
import { oneOf } from "../settings/read-values.ts";

/** What a process of several does. */
export type Role = "api" | "worker" | "all";

/** The role of a process. Refused where the work of one process could not be done by another one. */
export function readRole({ settings, config, module }: Setup): Role {
  const role = oneOf("--role", settings.text("role"), ["api", "worker", "all"]);
  if (role === "all") return role;
  if (module?.runtime !== undefined)
    throw usageFailure(
      `The role ${role} has no effect, because ${module.file} exports its own runtime.`,
      "Export its agents, or set limits.maxActiveRuns to 0 in a process that only answers.",
    );
  if (module?.options.store === undefined && planStore(settings, config.store).kind === "memory")
    throw usageFailure(
      `A process with the role ${role} shares its work with others, and its store is in memory.`,
      "Set DATABASE_URL, or store in the configuration.",
    );
  return role;
}
