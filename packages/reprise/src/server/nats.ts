export type { NatsConnectOptions, NatsGateway, NatsGatewayOptions } from "@reprise/server/nats";
export { openNatsGateway } from "@reprise/server/nats";
