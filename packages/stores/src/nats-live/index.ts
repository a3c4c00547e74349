export { type NatsLive, type NatsLiveOptions, natsLive } from "./open-nats-live.ts";
