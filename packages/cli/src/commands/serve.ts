import { setTimeout as sleep } from "node:timers/promises";
import { createApiKeys } from "@reprise/server";
import type { Listening } from "@reprise/server/node";
import { openToWork, type WorkingApp } from "../compose/open-app.ts";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { describeStart, printStart } from "../serve/describe-start.ts";
import { openServer } from "../serve/open-server.ts";
import { waitForEnd } from "../serve/wait-for-end.ts";
import type { CommandInput } from "./command.ts";

/** Serves until it is told to stop. */
export async function serve({ settings, output }: CommandInput): Promise<ExitCode> {
  output.progress("Opening the store …");
  if (settings.value("natsUrl") !== undefined) {
    output.warn("--nats-url is set, but the NATS gateway is not there yet: nothing connects to it.");
  }
  const app = await openToWork(settings, (problem) => output.warn(problem));
  const listening = await openServer(app).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  await warnWithoutKeys();
  // Whoever reads that it serves may already ask it to stop.
  const end = waitForEnd(
    () => closeInOrder(listening, app),
    (text) => output.note(text),
  );
  const started = describeStart(app, listening.url);
  const models = app.runtime.agents().flatMap(({ model }) => (model === undefined ? [] : [model]));
  output.answer(started, () => printStart(started, models));
  await end;
  return EXIT_CODES.ok;

  /** A server that asks for keys and has none lets nobody in. */
  async function warnWithoutKeys(): Promise<void> {
    if (!settings.isOn("requireKeys", app.setup.config.auth?.api_keys)) return;
    if ((await createApiKeys(app.runtime).list()).length > 0) return;
    output.warn("There is no API key yet, so nobody can use this server. Make one with: reprise keys create");
  }
}

/** An answer that takes longer than this is cut: its client comes back. */
const LAST_ANSWERS_MS = 1_500;

/** No more requests, then no more work, then the store. */
async function closeInOrder(listening: Listening, app: WorkingApp): Promise<void> {
  await Promise.race([listening.close(), sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
  await app.close();
}
