import { setTimeout as sleep } from "node:timers/promises";
import { createApiKeys } from "@reprise/server";
import type { Listening } from "@reprise/server/node";
import { openSetup, type WorkingApp } from "../compose/open-app.ts";
import type { WholeSetup } from "../compose/read-setup.ts";
import type { Output } from "../output/output.ts";
import type { Address } from "../settings/read-address.ts";
import { describeStart, type Started } from "./describe-start.ts";
import { openServer } from "./open-server.ts";

/** An app that is served. */
export interface Serving {
  readonly started: Started;
  readonly port: number;
  /** Takes no more requests, lets runs come to a commit, and closes the store. */
  close(): Promise<void>;
}

export interface ServingOptions {
  readonly address: Address;
  readonly output: Output;
  /** How long runs may take to come to a commit when it closes. */
  readonly closeTimeoutMs?: number;
}

/** Opens the store of a setup and serves it. */
export async function openServing(setup: WholeSetup, options: ServingOptions): Promise<Serving> {
  const { address, output, closeTimeoutMs } = options;
  const { settings, config } = setup;
  output.progress("Opening the store …");
  const app = await openSetup(setup, (problem) => output.warn(problem), closeTimeoutMs);
  const listening = await openServer(app, address, (problem) => output.warn(problem)).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  // A server that requires keys and has none refuses every request.
  if (settings.isOn("requireKeys", config.auth?.api_keys) && (await createApiKeys(app.runtime).list()).length === 0)
    output.warn("There is no API key yet, so every request is refused. Make one with: reprise keys create");
  return {
    started: describeStart(app, listening.url),
    port: listening.port,
    close: () => closeInOrder(listening, app),
  };
}

/** An answer that takes longer than this is cut: its client comes back. */
const LAST_ANSWERS_MS = 1_500;

/** No more requests, then no more work, then the store. */
async function closeInOrder(listening: Listening, app: WorkingApp): Promise<void> {
  await Promise.race([listening.close(), sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
  await app.close();
}
