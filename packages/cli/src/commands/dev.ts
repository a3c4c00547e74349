import { resolve } from "node:path";
import { readConfig } from "@reprise/server/config";
import { readDocument } from "../compose/read-document.ts";
import { DEV_VARIABLE } from "../dev/dev-messages.ts";
import { serveVersion } from "../dev/serve-version.ts";
import { Versions } from "../dev/versions.ts";
import { FileWatcher } from "../dev/watch-files.ts";
import { assertModuleFile } from "../module/load-module.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { usageFailure } from "../output/failure.ts";
import { programFile } from "../package-file.ts";
import { settleAddress } from "../serve/settle-address.ts";
import { readAddress } from "../settings/read-address.ts";
import type { CommandInput } from "./command.ts";

/** Serves a module and starts it anew when its code changes. Works in two kinds of processes: see `Versions`. */
export async function dev(input: CommandInput): Promise<ExitCode> {
  const { settings, output, words } = input;
  if (process.env[DEV_VARIABLE] !== undefined) return serveVersion(settings, output);
  const module = settings.value("agents");
  if (module === undefined)
    throw usageFailure("`reprise dev` needs a module that exports agents.", "Name it: reprise dev agents.ts");
  assertModuleFile(resolve(module), module);
  const { value, file: config } = readDocument(settings);
  const address = await settleAddress(readAddress(settings, readConfig(value).server?.address), output);
  const watcher = new FileWatcher((name) => versions.start(name));
  const versions = new Versions({
    command: [process.execPath, ...process.execArgv, programFile(), ...words, "--port", String(address.port)],
    environment: {
      ...process.env,
      // The same for every version: what one left unfinished, the next one takes up at once.
      ...(settings.value("instanceId") === undefined && { REPRISE_INSTANCE_ID: `dev-${process.pid}` }),
    },
    note: (text) => output.note(text),
    warn: (text) => output.warn(text),
    onFiles: (files) => watcher.add(files),
  });
  const end = endOnSignal(versions);
  watcher.add([module, ".env", ...(config === undefined ? [] : [config])].map((file) => resolve(file)));
  versions.start();
  await end;
  watcher.close();
  return EXIT_CODES.ok;
}

/** The first Ctrl-C or SIGTERM stops the version that serves, and waits for it. The second one ends everything at once. */
async function endOnSignal(versions: Versions): Promise<void> {
  await new Promise<void>((resolveSignal) => {
    for (const signal of SIGNALS) process.once(signal, () => resolveSignal());
  });
  for (const signal of SIGNALS)
    process.once(signal, () => {
      versions.kill();
      process.exit(130);
    });
  await versions.stop();
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
