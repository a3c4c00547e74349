import {
  LIST_SESSIONS,
  NAMED_SESSION,
  NEW_SESSION,
  OLD_SESSION,
  type RpcRequest,
  readParams,
  type SessionFolders,
} from "@reprise/protocols/acp";
import type { Json } from "@reprise/state";
import type { ConnectedClient } from "./connected-client.ts";
import { describeChoices } from "./session-config.ts";
import { pageOf } from "./session-records.ts";
import { readServers, useServers } from "./use-servers.ts";

export async function createSession(client: ConnectedClient, request: RpcRequest): Promise<Json> {
  const folders = readParams(NEW_SESSION, request.params);
  const sessionId = crypto.randomUUID();
  const fields = { ...folderFields(folders), agent: client.defaultAgent };
  const servers = readServers(client, folders);
  const used = await useServers(client, client.open(sessionId), fields, { servers, answered: request.answered });
  const record = await client.records.save(sessionId, { ...fields, ...used });
  return { sessionId, ...describeChoices(record, client.runtime.agents()) };
}

/** Opens a session of this or another process, with its history shown or not. A run that is open continues to be shown. */
export async function loadSession(
  client: ConnectedClient,
  request: RpcRequest,
  { isShown }: { readonly isShown: boolean },
): Promise<Json> {
  const { sessionId, ...folders } = readParams(OLD_SESSION, request.params);
  const fields = { ...folderFields(folders), agent: client.defaultAgent };
  const servers = readServers(client, folders);
  const stored = await client.records.load(sessionId, { ...fields, updated_at: 0 });
  const session = client.open(sessionId);
  session.assertIdle();
  const used = await useServers(client, session, stored, { servers, answered: request.answered });
  const record = await client.records.save(sessionId, { ...stored, ...folderFields(folders), ...used });
  const run = await session.load(record, isShown);
  if (run !== undefined) void request.answered.then(() => session.showInBackground(record, run));
  return describeChoices(record, client.runtime.agents());
}

export async function listSessions({ records }: ConnectedClient, params: Json): Promise<Json> {
  const { cwd, cursor } = readParams(LIST_SESSIONS, params ?? {});
  const { items, next } = pageOf(await records.list(cwd), cursor);
  const sessions = items.map(({ id, cwd: folder, title, additional_directories, updated_at }) => ({
    sessionId: id,
    cwd: folder,
    ...(additional_directories !== undefined && { additionalDirectories: additional_directories }),
    ...(title !== undefined && { title }),
    updatedAt: new Date(updated_at).toISOString(),
  }));
  return { sessions, ...(next !== undefined && { nextCursor: next }) };
}

export async function closeSession(client: ConnectedClient, params: Json): Promise<Json> {
  const { sessionId } = readParams(NAMED_SESSION, params);
  const session = client.find(sessionId);
  if (session === undefined) await client.records.load(sessionId);
  else await session.end();
  client.forget(sessionId);
  return {};
}

export async function deleteSession(client: ConnectedClient, params: Json): Promise<Json> {
  const { sessionId } = readParams(NAMED_SESSION, params);
  const { records, runtime } = client;
  await records.load(sessionId);
  await client.find(sessionId)?.end();
  client.forget(sessionId);
  const { items } = await runtime.runs({ threadId: sessionId, limit: 1 });
  if (items.length > 0) await runtime.threads.delete(sessionId);
  await records.delete(sessionId);
  return {};
}

function folderFields({ cwd, additionalDirectories: more }: SessionFolders) {
  return { cwd, ...(more !== undefined && more.length > 0 && { additional_directories: more }) };
}
