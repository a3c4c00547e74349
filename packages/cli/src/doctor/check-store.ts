import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { openToLook } from "../compose/open-app.ts";
import { describeStore, planStore, type StorePlan } from "../compose/plan-store.ts";
import type { Setup } from "../compose/read-setup.ts";
import { toFailure } from "../output/to-failure.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** Whether the store answers, what it survives, and who works on it. Makes nothing. */
export async function checkStore({ settings, config, module }: Setup): Promise<readonly Finding[]> {
  try {
    const isOwn = module?.runtime !== undefined || module?.options.store !== undefined;
    const plan = isOwn ? undefined : planStore(settings, config.store);
    if (plan?.kind === "memory")
      return [warn("store", "Threads live in memory.", "Set a store, or they are gone with the process.")];
    if (plan?.kind === "sqlite" && !existsSync(plan.file))
      return [ok("store", `${describeStore(plan)} will be created when it is needed`)];
    const app = await openToLook(settings);
    try {
      const { total } = await app.runtime.threads.list({ limit: 1 });
      const store = ok("store", `${app.storeName} answers; durability ${app.runtime.durability}; ${total} threads`);
      const leases = await app.runtime.leases();
      const missing = await app.runtime.missingAgents();
      const [lost, waiting] = [leases.filter(({ is_expired }) => is_expired), await app.runtime.decisions.list()];
      return [
        store,
        ...(plan === undefined ? [] : checkFolder(plan)),
        lost.length === 0
          ? ok(
              "leases",
              leases.length === 0 ? "no thread is being worked on" : `${leases.length} threads are being worked on`,
            )
          : warn(
              "leases",
              `${lost.length} threads belong to a process that is gone.`,
              "Start a server on this store: it continues their runs.",
            ),
        ...(missing.length === 0 ? [] : [warnOfMissing(missing)]),
        ok(
          "decisions",
          waiting.length === 0
            ? "no tool call waits for a decision"
            : `${waiting.length} tool calls wait for a decision: reprise decide`,
        ),
      ];
    } finally {
      await app.close();
    }
  } catch (error) {
    const { message, remedy } = toFailure(error);
    return [fail("store", message, remedy)];
  }
}

function warnOfMissing(agents: readonly string[]): Finding {
  const named = agents.slice(0, MAX_NAMED).join(", ");
  const all = agents.length > MAX_NAMED ? `${named} and ${agents.length - MAX_NAMED} more` : named;
  return warn(
    "agents",
    `Work waits for agents that no live process has: ${all}.`,
    "Start a server that has them, or cancel their runs.",
  );
}

const MAX_NAMED = 10;

/** A folder that others can look into shows them which files there are, and what is put there by hand. */
function checkFolder(plan: StorePlan): readonly Finding[] {
  const folder = plan.kind === "sqlite" ? dirname(plan.file) : plan.kind === "file" ? plan.folder : undefined;
  // Windows has no such rights.
  if (folder === undefined || process.platform === "win32" || (statSync(folder).mode & 0o077) === 0) return [];
  return [warn("folder", `Other users can read ${folder}.`, `Restrict it: chmod 700 ${JSON.stringify(folder)}`)];
}
