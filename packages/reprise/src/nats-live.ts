export type { NatsLive, NatsLiveOptions } from "@reprise/stores/nats-live";
export { natsLive } from "@reprise/stores/nats-live";
