import { setTimeout as sleep } from "node:timers/promises";
import { createApiKeys } from "@reprise/server";
import { openSetup, type WorkingApp } from "../compose/open-app.ts";
import type { WholeSetup } from "../compose/read-setup.ts";
import type { Output } from "../output/output.ts";
import type { Address } from "../settings/read-address.ts";
import { readMilliseconds } from "../settings/read-milliseconds.ts";
import { describeStart, type Started } from "./describe-start.ts";
import { type Listening, openServer } from "./open-server.ts";
import { readRole } from "./read-role.ts";

/** An app that is served. */
export interface Serving {
  readonly started: Started;
  readonly port: number;
  /** Stops in order: says that it is not ready, takes no more requests, lets runs come to a commit, and closes the store. */
  close(): Promise<void>;
  /** How long that may take; what is left then is cut, and continued by others. */
  readonly closesWithinMs: number;
}

export interface ServingOptions {
  readonly address: Address;
  readonly output: Output;
  /** How long runs may take to come to a commit when it closes. */
  readonly closeTimeoutMs?: number;
}

/** Opens the store of a setup and serves it, in the role that its settings name. */
export async function openServing(setup: WholeSetup, options: ServingOptions): Promise<Serving> {
  const { address, output } = options;
  const { settings, config } = setup;
  const role = readRole(setup);
  const closeTimeoutMs = options.closeTimeoutMs ?? readMilliseconds(settings, "drainMs");
  const noticeMs = readMilliseconds(settings, "noticeMs");
  output.progress("Opening the store …");
  const limits = { closeTimeoutMs, ...(role === "api" && { maxActiveRuns: 0 }) };
  const app = await openSetup(setup, (problem) => output.warn(problem), limits);
  const warn = (problem: string): void => output.warn(problem);
  const listening = await openServer(app, address, { role, warn }).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  // A server that requires keys and has none refuses every request.
  if (settings.isOn("requireKeys", config.auth?.api_keys) && (await createApiKeys(app.runtime).list()).length === 0)
    output.warn("There is no API key yet, so every request is refused. Make one with: reprise keys create");
  return {
    started: describeStart(app, listening.url, role),
    port: listening.port,
    closesWithinMs: noticeMs + LAST_ANSWERS_MS + closeTimeoutMs + SPARE_MS,
    close: async () => {
      listening.retire();
      if (role === "worker") return closeWorker(listening, app);
      await sleep(noticeMs);
      await closeInOrder(listening, app);
    },
  };
}

/** An answer that takes longer than this is cut: its client comes back. */
const LAST_ANSWERS_MS = 1_500;

/** For what is left after runs were told to stop, and for closing the store. */
const SPARE_MS = 2_000;

/** No more requests, then no more work, then the store. */
async function closeInOrder(listening: Listening, app: WorkingApp): Promise<void> {
  await Promise.race([listening.close(), sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
  await app.close();
}

/** No more work at once: nothing is sent here that a load balancer could take elsewhere. Until then it says that it lives. */
async function closeWorker(listening: Listening, app: WorkingApp): Promise<void> {
  await app.close();
  await Promise.race([listening.close(), sleep(LAST_ANSWERS_MS, undefined, { ref: false })]);
}
