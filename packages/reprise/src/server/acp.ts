export type { AcpConnection, AcpOptions, EditorServer, EditorServers, SessionServers } from "@reprise/server/acp";
export { connectAcp } from "@reprise/server/acp";
