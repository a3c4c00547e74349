import type { RpcRequest, SessionFolders } from "@reprise/protocols/acp";
import type { ConnectedClient } from "./connected-client.ts";
import { type EditorServer, readEditorServers } from "./editor-servers.ts";
import type { OpenSession } from "./open-session.ts";
import type { SessionRecord } from "./session-records.ts";

/** The servers that the client names. A server that is forbidden refuses the request before anything is made. */
export function readServers(
  { options }: ConnectedClient,
  { mcpServers = [] }: SessionFolders,
): readonly EditorServer[] {
  return readEditorServers(mcpServers, options.editorServers?.allowed);
}

/**
 * Has a session use servers, and says whether its runs have any. A session that had some keeps a variant of its agent also without
 * them: its runs belong to that one.
 */
export async function useServers(
  client: ConnectedClient,
  session: OpenSession,
  { agent, has_servers = false }: Pick<SessionRecord, "agent" | "has_servers">,
  { servers, answered }: Pick<RpcRequest, "answered"> & { readonly servers: readonly EditorServer[] },
): Promise<Pick<SessionRecord, "has_servers">> {
  const { editorServers } = client.options;
  if (editorServers === undefined) {
    if (servers.length > 0) client.tell(session, "MCP servers of the editor are not used here.", answered);
    return {};
  }
  if (servers.length === 0 && !has_servers) return {};
  const used = await session.useServers(servers, (id, given) => editorServers.open(id, given));
  // Runs that wait for their agent continue from now on.
  used.agentFor(agent);
  const tell = async (): Promise<void> => {
    for (const problem of await used.connect(agent)) client.tell(session, problem, answered);
  };
  void tell().catch((error: unknown) => client.warn(error));
  return { has_servers: true };
}
