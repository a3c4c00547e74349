export type { NatsBufferedStore, NatsBufferedStoreOptions, NatsOptions } from "@reprise/stores/nats-buffered";
export { natsBuffered } from "@reprise/stores/nats-buffered";
