import { readWholeSetup } from "../compose/read-setup.ts";
import { demoWorkflow } from "../demo/demo-workflow.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { printStart } from "../serve/describe-start.ts";
import { openServing } from "../serve/open-serving.ts";
import { settleAddress } from "../serve/settle-address.ts";
import { waitForEnd } from "../serve/wait-for-end.ts";
import { readAddress } from "../settings/read-address.ts";
import type { Settings } from "../settings/settings.ts";
import type { CommandInput } from "./command.ts";

/** Serves until it is stopped. */
export async function serve({ settings, output }: CommandInput): Promise<ExitCode> {
  const setup = await readWholeSetup(settings, isDemonstration(settings) ? [await demoWorkflow()] : []);
  const address = await settleAddress(readAddress(settings, setup.config.server?.address), output);
  const serving = await openServing(setup, { address, output });
  // A reader of the first line may ask it to stop at once.
  const end = waitForEnd(serving, (text) => output.note(text));
  output.answer(serving.started, () => printStart(serving.started));
  await end;
  return EXIT_CODES.ok;
}

/** Whether the agents are those of the demonstration, which do the work of its workflow. */
function isDemonstration(settings: Settings): boolean {
  return settings.isOn("demo") && settings.value("config") === undefined && settings.value("agents") === undefined;
}
