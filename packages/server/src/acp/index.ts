export type { AcpConnection, AcpOptions } from "./connect-acp.ts";
export { connectAcp } from "./connect-acp.ts";
