import { join } from "node:path";
import { type Config, type EnvReference, readSecret } from "@reprise/server/config";
import { usageFailure } from "../output/failure.ts";
import { type Settings, SOURCES } from "../settings/settings.ts";

/** Where threads live, with everything that is needed to open it. */
export type StorePlan =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "file"; readonly folder: string }
  | { readonly kind: "memory" }
  | { readonly kind: "postgres"; readonly url: string; readonly schema?: string }
  | { readonly kind: "postgres"; readonly urls: readonly string[]; readonly schema?: string }
  | { readonly kind: "nats"; readonly url: string; readonly natsUrl: string; readonly schema?: string };

/** Decides where threads live: what is said on the command line goes before the environment, that before the configuration. */
export function planStore(settings: Settings, configured: Config["store"]): StorePlan {
  const isDatabaseGiven = settings.sourceOf("databaseUrl") !== "default";
  const isFolderGiven = settings.sourceOf("storageDir") !== "default";
  const rank = (name: "databaseUrl" | "storageDir"): number => SOURCES.indexOf(settings.sourceOf(name));
  if (isDatabaseGiven && rank("databaseUrl") >= rank("storageDir")) return planDatabase(settings, configured);
  if (isFolderGiven) return planFolder(settings, configured?.kind === "file" ? configured : undefined);
  switch (configured?.kind) {
    case "postgres":
    case "nats":
      return planDatabase(settings, configured);
    case "memory":
      return { kind: "memory" };
    case "sqlite":
      return { kind: "sqlite", file: configured.file ?? join(settings.text("storageDir"), FILE) };
    default:
      return planFolder(settings, configured);
  }
}

/** As the umbrella names it. */
const FILE = "reprise.db";

function planFolder(
  settings: Settings,
  configured: { readonly kind: "file"; readonly folder?: string } | undefined,
): StorePlan {
  const folder = settings.text("storageDir", configured?.folder);
  return configured === undefined ? { kind: "sqlite", file: join(folder, FILE) } : { kind: "file", folder };
}

function planDatabase(settings: Settings, configured: Config["store"]): StorePlan {
  const database = configured?.kind === "postgres" || configured?.kind === "nats" ? configured : undefined;
  const named = (name: string): string | undefined => settings.named(name);
  const url =
    settings.value("databaseUrl") ?? (database?.url === undefined ? undefined : readSecret(database.url, named));
  if (url === undefined)
    throw usageFailure(
      "The store is a Postgres database, and nothing says which.",
      "Set DATABASE_URL, or store.url in the configuration.",
    );
  const variable = settings.sourceOf("databaseUrl") === "default" ? nameOf(database?.url) : "DATABASE_URL";
  const urls = splitUrls(url);
  if (variable !== undefined && settings.sourceOf("databaseUrl") !== "flag")
    for (const each of urls) assertOwnPassword(settings, variable, each);
  const schema = database?.schema === undefined ? {} : { schema: database.schema };
  if (database?.kind !== "nats")
    return urls.length > 1 ? { kind: "postgres", urls, ...schema } : { kind: "postgres", url, ...schema };
  if (urls.length > 1)
    throw usageFailure(
      "The store buffers its writes in NATS, and that takes one database.",
      "Name one database, or use a store of kind postgres.",
    );
  const natsUrl = database.nats_url === undefined ? undefined : readSecret(database.nats_url, named);
  if (natsUrl === undefined)
    throw usageFailure(
      "The store buffers its writes in NATS, and nothing says where that is.",
      "Set store.nats_url in the configuration.",
    );
  return { kind: "nats", url, natsUrl, ...schema };
}

/** The addresses of a list with commas. A comma may also be inside an address. */
function splitUrls(text: string): readonly string[] {
  return text.split(/,(?=\s*postgres(?:ql)?:\/\/)/).map((url) => url.trim());
}

/** The driver adds `PGPASSWORD` to an address without a password. An address of `.env` is not to get a password from elsewhere. */
function assertOwnPassword(settings: Settings, variable: string, url: string): void {
  if (!settings.isFromFile(variable) || (settings.variables.PGPASSWORD ?? "") === "" || hasPassword(url)) return;
  throw usageFailure(
    `${variable} of .env has no password, and PGPASSWORD of the environment is not used with it.`,
    `Set ${variable} in the environment, or put the password into it in .env.`,
  );
}

/** The variable that a configured address is in. */
function nameOf(secret: string | EnvReference | undefined): string | undefined {
  return typeof secret === "object" ? secret.name : undefined;
}

function hasPassword(url: string): boolean {
  return URL.canParse(url) && new URL(url).password !== "";
}

/** Names the store and where it is, without passwords. */
export function describeStore(plan: StorePlan): string {
  switch (plan.kind) {
    case "sqlite":
      return `SQLite file ${plan.file}`;
    case "file":
      return `folder ${plan.folder}`;
    case "memory":
      return "memory";
    case "postgres":
      return `Postgres ${("urls" in plan ? plan.urls : [plan.url]).map(withoutSecrets).join(", ")}`;
    case "nats":
      return `Postgres ${withoutSecrets(plan.url)} behind NATS ${withoutSecrets(plan.natsUrl)}`;
    default:
      return plan satisfies never;
  }
}

function withoutSecrets(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname === "/" ? "" : pathname}`;
  } catch {
    return "at an address that cannot be read";
  }
}
