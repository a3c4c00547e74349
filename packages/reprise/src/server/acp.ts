export type { AcpConnection, AcpOptions } from "@reprise/server/acp";
export { connectAcp } from "@reprise/server/acp";
