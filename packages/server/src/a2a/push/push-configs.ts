import type { StoredDocument } from "@reprise/contracts";
import { needed, nonEmptyText, type ObjectShape, openObjectOf } from "@reprise/contracts/shape";
import { A2aError, type A2aPushConfig, type A2aState, readParams } from "@reprise/protocols/a2a";
import type { RunHandle, Runtime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { HttpExchange } from "../../host/route.ts";
import { serverUrl } from "../../host/server-url.ts";
import { digest, randomHex } from "../../security/digest.ts";
import { findTask } from "../find-task.ts";

/** How far the log of a run was read for a receiver. */
export interface PushPosition {
  readonly cursor: string;
  readonly seq: number;
  /** The state of the encoder there. */
  readonly state: A2aState;
}

/** One receiver of a task's updates, and what it got. */
export interface PushTarget extends A2aPushConfig {
  readonly id: string;
  /** Updates up to this position of the run's log were made before the receiver was named. */
  readonly after: number;
  /** The receiver has every update up to here, or it was given up. */
  readonly told?: PushPosition;
  /** The questions of runs below that it was told of last, by their name. The log of the run does not have them. */
  readonly asked?: string;
  /** How often the next update was tried in vain, and when it is tried again. */
  readonly failures?: number;
  readonly next_at?: number;
}

/** The receivers of one task. One document for each task, among those of the server's own tenant: every process can find them all. */
export interface PushTask {
  readonly tenant: string;
  readonly agent_id: string;
  readonly run_id: string;
  /** The address of this server as the client knows it: files are below it. */
  readonly server_url: string;
  readonly targets: readonly PushTarget[];
  /** A process sends updates until then, unless it dies. */
  readonly claimed_until?: number;
}

export const PUSH_KIND = "a2a_push";
/** The receivers of tasks that are over. Kept for clients that ask; nothing is sent to them. */
export const PUSH_OVER_KIND = "a2a_push_over";
const KINDS = [PUSH_KIND, PUSH_OVER_KIND] as const;

/** A task that no client asks about for so long is forgotten. */
const KEPT_MS = 30 * 86_400_000;

const MAX_TARGETS = 10;

interface ConfigParams {
  readonly taskId: string;
  readonly id: string;
}

const TASK_PARAMS = openObjectOf<Pick<ConfigParams, "taskId">>({ taskId: needed(nonEmptyText) });
const CONFIG_PARAMS: ObjectShape<ConfigParams> = openObjectOf<ConfigParams>({
  taskId: needed(nonEmptyText),
  id: needed(nonEmptyText),
});

/** The id of a task's document. */
export function pushTaskId(tenant: string, runId: string): Promise<string> {
  return digest(tenant, runId);
}

export function readPushTask({ body }: StoredDocument): PushTask {
  // Only this module writes documents of its kind.
  return body as unknown as PushTask;
}

/** Writes a task's receivers. False when another writer was faster. A task without receivers is deleted. */
export async function savePushTask(
  runtime: Pick<Runtime, "documents" | "now">,
  id: string,
  task: PushTask,
  revision: number,
  kind: string = PUSH_KIND,
): Promise<boolean> {
  if (task.targets.length === 0) return revision === 0 || runtime.documents.deleteDocument(kind, id, revision);
  // An interface of plain fields is JSON.
  const document = { kind, id, body: task as unknown as Json, expires_at: runtime.now() + KEPT_MS };
  return (await runtime.documents.saveDocument(document, revision)).saved;
}

/** Refuses a receiver that cannot be sent to. Asked before the message that names it is accepted. */
export function assertReceiver({ host: { push } }: HttpExchange, config: A2aPushConfig): void {
  if (push === undefined)
    throw new A2aError("PUSH_NOTIFICATION_NOT_SUPPORTED", "This server sends no push notifications.");
  const problem = push.findProblem(config);
  if (problem !== undefined) throw new A2aError("INVALID_PARAMS", problem);
}

/** Sends the updates of a task to an address from now on. The same id again replaces the earlier receiver. */
export async function createPushConfig(
  exchange: HttpExchange,
  agentId: string,
  { run, after }: { readonly run: RunHandle; readonly after: number },
  config: A2aPushConfig,
): Promise<object> {
  assertReceiver(exchange, config);
  const { id: given = "", url, token, authentication } = config;
  const target: PushTarget = {
    id: given === "" ? randomHex(8) : given,
    url,
    after,
    ...(token !== undefined && { token }),
    ...(authentication !== undefined && { authentication }),
  };
  const server_url = serverUrl(exchange);
  const { tenant } = exchange.runtime;
  await change(exchange, run.id, (known) => {
    const others = (known?.targets ?? []).filter(({ id }) => id !== target.id);
    if (others.length >= MAX_TARGETS) {
      throw new A2aError("INVALID_PARAMS", `A task has at most ${MAX_TARGETS} push notification configurations.`);
    }
    return { ...known, tenant, agent_id: agentId, run_id: run.id, server_url, targets: [...others, target] };
  });
  exchange.host.push?.watch(tenant, run.id);
  return encodeConfig(run.id, target);
}

export async function getPushConfig(exchange: HttpExchange, agentId: string, params: unknown): Promise<object> {
  const { taskId, id } = readParams(CONFIG_PARAMS, params);
  await findTask(exchange, agentId, taskId);
  const target = (await loadTargets(exchange, taskId)).find((each) => each.id === id);
  if (target === undefined) throw unknownConfig(id);
  return encodeConfig(taskId, target);
}

export async function listPushConfigs(exchange: HttpExchange, agentId: string, params: unknown): Promise<object> {
  const { taskId } = readParams(TASK_PARAMS, params);
  await findTask(exchange, agentId, taskId);
  const targets = await loadTargets(exchange, taskId);
  return { configs: targets.map((target) => encodeConfig(taskId, target)), nextPageToken: "" };
}

/** Sends no more updates to a receiver. One that is not there is as good as deleted. */
export async function deletePushConfig(exchange: HttpExchange, agentId: string, params: unknown): Promise<object> {
  const { taskId, id } = readParams(CONFIG_PARAMS, params);
  await findTask(exchange, agentId, taskId);
  for (const kind of KINDS) {
    const without = (known: PushTask | undefined): PushTask | undefined =>
      known === undefined ? undefined : { ...known, targets: known.targets.filter((target) => target.id !== id) };
    await change(exchange, taskId, without, kind);
  }
  return {};
}

async function loadTargets(exchange: HttpExchange, taskId: string): Promise<readonly PushTarget[]> {
  const { host, runtime } = exchange;
  const id = await pushTaskId(runtime.tenant, taskId);
  const found = await Promise.all(KINDS.map((kind) => host.runtime.documents.loadDocument(kind, id)));
  const targets = found.flatMap((document) => (document === undefined ? [] : readPushTask(document).targets));
  return [...new Map(targets.map((target) => [target.id, target])).values()];
}

async function change(
  { host, runtime }: HttpExchange,
  taskId: string,
  next: (known: PushTask | undefined) => PushTask | undefined,
  kind: string = PUSH_KIND,
): Promise<void> {
  const id = await pushTaskId(runtime.tenant, taskId);
  for (;;) {
    const document = await host.runtime.documents.loadDocument(kind, id);
    const task = next(document === undefined ? undefined : readPushTask(document));
    if (task === undefined || (await savePushTask(host.runtime, id, task, document?.revision ?? 0, kind))) return;
  }
}

/** A receiver as clients see it. Its credentials are not shown again. */
function encodeConfig(taskId: string, { id, url, token, authentication }: PushTarget): object {
  return {
    id,
    taskId,
    url,
    ...(token !== undefined && { token }),
    ...(authentication !== undefined && { authentication: { scheme: authentication.scheme } }),
  };
}

function unknownConfig(id: string): A2aError {
  return new A2aError("TASK_NOT_FOUND", `push notification configuration not found: ${id.slice(0, 200)}`);
}
