export * from "@reprise/stores/nats-buffered";
