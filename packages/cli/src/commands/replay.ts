import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { silentProvider } from "@reprise/evals";
import { createNodeEnv } from "@reprise/node";
import { type Definitions, type ReplayResult, replayExport } from "@reprise/runtime";
import type { ConfigPorts } from "@reprise/server/config";
import { type App, openToLook, openWithAgents } from "../compose/open-app.ts";
import { readWholeSetup } from "../compose/read-setup.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { usageFailure } from "../output/failure.ts";
import { oneOf } from "../settings/read-values.ts";
import type { Settings } from "../settings/settings.ts";
import { type CommandInput, textOption } from "./command.ts";
import { withApp } from "./with-app.ts";

/**
 * Replays a finished run of the store, or of the file it was exported to, and compares. `verify` works from the recording alone: it
 * needs neither the run's agents nor, for a file, a store.
 */
export async function replay(input: CommandInput): Promise<ExitCode> {
  const [run = ""] = input.arguments;
  const mode = oneOf("--mode", textOption(input, "mode") ?? "verify", ["verify", "reexecute"]);
  input.output.progress(`Replaying ${run} …`);
  if (run.endsWith(".json")) {
    const definitions = mode === "verify" ? {} : await readDefinitions(input.settings);
    return tell(input, await replayExport(readExport(run), { ...definitions, env: createNodeEnv(), mode }));
  }
  const work = async ({ runtime }: App): Promise<ExitCode> => tell(input, await runtime.replay(run, { mode }));
  return withApp(input, work, mode === "verify" ? openToLook : openWithAgents);
}

function tell({ output }: CommandInput, result: ReplayResult): ExitCode {
  output.answer(result, () =>
    result.equal
      ? `Run ${result.run_id} equals its recording: ${result.versions} versions, ${result.events} events (${result.hash}).`
      : `Run ${result.run_id} differs from its recording: ${JSON.stringify(result.divergence)}`,
  );
  return result.equal ? EXIT_CODES.ok : EXIT_CODES.failed;
}

export function readExport(path: string): string {
  try {
    return readFileSync(resolve(path), "utf8");
  } catch {
    throw usageFailure(`There is no file ${path}.`, "Export a run with: reprise runs export <run> > run.json");
  }
}

/** The agents of the settings, for what needs no runtime of theirs. Where recordings answer for models, no keys are looked for. */
export async function readDefinitions(settings: Settings, models: "live" | "recorded" = "live"): Promise<Definitions> {
  const { definitions, module } = await readWholeSetup(settings, [], models === "live" ? undefined : withoutModels);
  if (module?.runtime === undefined) return definitions;
  throw usageFailure("A recording is played to agents, and the module exports a runtime.", "Export its agents.");
}

function withoutModels({ createProvider, providers, ...ports }: ConfigPorts): ConfigPorts {
  return {
    ...ports,
    createProvider: (id, provider) => silentProvider(createProvider(id, provider)),
    ...(providers !== undefined && { providers: providers.map(silentProvider) }),
  };
}
