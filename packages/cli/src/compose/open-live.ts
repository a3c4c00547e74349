import { type Config, readSecret } from "@reprise/server/config";
import type { NatsLive } from "@reprise/stores/nats-live";
import { usageFailure } from "../output/failure.ts";
import type { Settings } from "../settings/settings.ts";
import { logOf } from "./create-log.ts";

/** The way of live events to and from other processes, where one is set. A server that is away is tried again and again. */
export async function openLiveEvents(settings: Settings, configured: Config["live"]): Promise<NatsLive | undefined> {
  const named = (name: string): string | undefined => settings.named(name);
  const url =
    settings.value("liveUrl") ?? (configured?.url === undefined ? undefined : readSecret(configured.url, named));
  if (url === undefined && configured === undefined) return undefined;
  if (url === undefined)
    throw usageFailure(
      "Live events go over NATS, and nothing says where that is.",
      "Set REPRISE_LIVE_URL, or live.url in the configuration.",
    );
  const log = logOf(settings);
  const { natsLive } = await import("@reprise/stores/nats-live");
  return natsLive(url, {
    onProblem: (problem) => log("warn", problem),
    ...(configured?.prefix !== undefined && { prefix: configured.prefix }),
  });
}
