import { describeStore, planStore, type StorePlan } from "../compose/plan-store.ts";
import { readSetup } from "../compose/read-setup.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { usageFailure } from "../output/failure.ts";
import type { CommandInput } from "./command.ts";

/** Makes the tables of a database, or brings them up to date, and nothing more. Safe to repeat, and beside running processes. */
export async function migrate({ settings, output }: CommandInput): Promise<ExitCode> {
  const { config, module } = await readSetup(settings);
  if (module?.runtime !== undefined || module?.options.store !== undefined)
    throw usageFailure("A store that a module opens is brought up to date by the module.", "Name it: --database-url");
  const plan = planStore(settings, config.store);
  const has_schema = plan.kind === "postgres" || plan.kind === "nats";
  if (has_schema) await migrateDatabase(plan);
  const store = describeStore(plan);
  output.answer({ store, has_schema }, () =>
    has_schema ? `${store} is up to date.` : `Nothing to do: ${store} is brought up to date when it is opened.`,
  );
  return EXIT_CODES.ok;
}

async function migrateDatabase(plan: Extract<StorePlan, { readonly kind: "postgres" | "nats" }>): Promise<void> {
  const { schema } = plan;
  const address = "urls" in plan ? { urls: plan.urls } : { url: plan.url };
  const { ensureSchema } = await import("@reprise/stores/postgres");
  await ensureSchema({ ...address, ...(schema !== undefined && { schema }) });
}
