export type { NatsOptions } from "./connect-nats.ts";
export type { NatsBufferedStore, NatsBufferedStoreOptions } from "./open-nats-buffered-store.ts";
export { natsBuffered, openNatsBufferedStore } from "./open-nats-buffered-store.ts";
