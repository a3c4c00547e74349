export type { AcpConnection } from "./connect-acp.ts";
export { connectAcp } from "./connect-acp.ts";
export type { AcpOptions } from "./connected-client.ts";
export type { EditorServer, EditorServers, SessionServers } from "./editor-servers.ts";
