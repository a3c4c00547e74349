import { readWholeSetup } from "../compose/read-setup.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import type { Output } from "../output/output.ts";
import { printStart } from "../serve/describe-start.ts";
import { openServing } from "../serve/open-serving.ts";
import { readAddress } from "../settings/read-address.ts";
import type { Settings } from "../settings/settings.ts";
import type { FromServer, ToServer } from "./dev-messages.ts";
import { reportImports } from "./report-imports.ts";

/** Runs that take longer to come to a commit are cut, and continue in the next version from their last commit. */
const CLOSE_MS = 3_000;

/** A close that is stuck must not keep the next version waiting. */
const PATIENCE_MS = 6_000;

/**
 * Serves one version of the code, in a process that `reprise dev` started: loads it, waits until the version before is gone, and
 * serves until it is stopped or `reprise dev` is gone itself. Signals of the terminal are for `reprise dev`.
 */
export async function serveVersion(settings: Settings, output: Output): Promise<ExitCode> {
  process.on("SIGINT", () => undefined);
  const parent = followParent();
  reportImports((file) => say({ type: "uses", files: [file] }));
  const setup = await readWholeSetup(settings);
  say({ type: "loaded" });
  const opened = await parent.open;
  if (opened === undefined) return EXIT_CODES.ok;
  const { port } = opened;
  const address = readAddress(settings, setup.config.server?.address);
  const serving = await openServing(setup, {
    address: port === undefined ? address : { ...address, port },
    output,
    closeTimeoutMs: CLOSE_MS,
  });
  say({ type: "listening", port: serving.port });
  // Programs read of every version; people read of the first one, and then that it was reloaded.
  if (port === undefined || output.isJson) output.answer(serving.started, () => printStart(serving.started, STOP));
  await parent.stop;
  setTimeout(() => process.exit(1), PATIENCE_MS).unref();
  await serving.close();
  return EXIT_CODES.ok;
}

const STOP = "Ctrl-C; a change of the code reloads it, and runs continue";

function say(message: FromServer): void {
  if (process.connected === true) process.send?.(message);
}

/** What `reprise dev` asks for. It is gone when the channel to it is: nothing is served then. */
function followParent(): {
  readonly open: Promise<Extract<ToServer, { type: "open" }> | undefined>;
  readonly stop: Promise<void>;
} {
  const opening = Promise.withResolvers<Extract<ToServer, { type: "open" }> | undefined>();
  const stopping = Promise.withResolvers<void>();
  const stop = (): void => {
    opening.resolve(undefined);
    stopping.resolve();
    // The channel alone would keep the process.
    if (process.connected === true) process.disconnect();
  };
  // Only `reprise dev` has the other end.
  process.on("message", (message: ToServer) => (message.type === "open" ? opening.resolve(message) : stop()));
  process.on("disconnect", stop);
  process.on("SIGTERM", stop);
  return { open: opening.promise, stop: stopping.promise };
}
