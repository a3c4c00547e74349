import { configSchema, redact } from "@reprise/server/config";
import type { Json } from "@reprise/state";
import { agentIdsOf, readSetup, readWholeSetup, sayWarning, sourceOf } from "../compose/read-setup.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { SETTINGS } from "../settings/setting-table.ts";
import type { CommandInput } from "./command.ts";

/** Checks the configuration; everything that is wrong is thrown at once. */
export async function checkConfig({ settings, output }: CommandInput): Promise<ExitCode> {
  const setup = await readWholeSetup(settings);
  const { warnings } = setup;
  const [file, agents] = [sourceOf(setup) ?? null, agentIdsOf(setup)];
  output.answer({ ok: true, file, agents, warnings: warnings.map(({ path, message }) => ({ path, message })) }, () =>
    [
      `${file ?? "The built-in configuration"} is in order. Agents: ${agents.join(", ")}`,
      ...warnings.map(sayWarning),
    ].join("\n"),
  );
  return EXIT_CODES.ok;
}

export async function printSchema({ output }: CommandInput): Promise<ExitCode> {
  const schema = configSchema();
  output.answer(schema, () => JSON.stringify(schema, null, 2));
  return EXIT_CODES.ok;
}

/** Settings that may hold a password. */
const SECRET: readonly string[] = ["databaseUrl", "liveUrl", "natsUrl", "tensorzeroUrl"];

/** Shows the configuration without secrets, and where each setting came from. */
export async function showConfig({ settings, output }: CommandInput): Promise<ExitCode> {
  const { config, file = null } = await readSetup(settings);
  const values = SETTINGS.map(({ name }) => {
    const value = settings.value(name);
    const shown = value === undefined ? null : SECRET.includes(name) ? redact(value) : value;
    return [name, { value: shown, source: settings.sourceOf(name) }] as const;
  });
  // JSON, as it was read.
  const shown = { file, settings: Object.fromEntries(values), config: redact(config as unknown as Json) };
  output.answer(shown, () => JSON.stringify(shown, null, 2));
  return EXIT_CODES.ok;
}
