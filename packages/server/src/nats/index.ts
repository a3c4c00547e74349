export type { NatsConnectOptions, NatsGateway, NatsGatewayOptions } from "./open-nats-gateway.ts";
export { openNatsGateway } from "./open-nats-gateway.ts";
