import { sealChangeset } from "../codec/seal-changeset.ts";
import type { History, ThreadDemand } from "../kernel/demand.ts";
import { NO_ROWS } from "../kernel/held-write.ts";
import { demandOf, planOf } from "../kernel/operations.ts";
import type { ThreadAnswers, ThreadOperation, ThreadRequest } from "../kernel/request.ts";
import { readHistory } from "../tables/read/read-history.ts";
import type { StoreFolder } from "./folder/store-folder.ts";

/** Does one operation of the kernel in a folder. Resolves with its answer when it is durable. */
export async function executeRequest<Name extends ThreadOperation>(
  folder: StoreFolder,
  request: ThreadRequest<Name>,
  now: () => number,
): Promise<ThreadAnswers[Name]> {
  const demand = demandOf(request);
  const threadId = findThreadId(folder, demand);
  if (threadId === undefined) return planOf(request, NO_ROWS, now()).answer;
  const history = await readHistoryOf(folder, demand);
  // A request of one name is one of all of them, and is answered as its own type says; TypeScript sees neither.
  const task: ThreadRequest = request as ThreadRequest;
  return (await folder.execute({ threadId, request: task, now, history })) as ThreadAnswers[Name];
}

function findThreadId({ tables }: StoreFolder, { tenant, thread }: ThreadDemand): string | undefined {
  if ("thread_id" in thread) return thread.thread_id;
  return tables.findTenant(tenant)?.findByRun(thread.run_id)?.threadId;
}

/**
 * The history of another thread is read before the operation waits for its own: it can only grow meanwhile, and who is deleted at
 * the same time may as well have been forked before.
 */
async function readHistoryOf(folder: StoreFolder, { tenant, history }: ThreadDemand): Promise<History | undefined> {
  const source = history === undefined ? undefined : folder.findThread(tenant, history.thread_id);
  if (history === undefined || source === undefined) return undefined;
  return readHistory(source, history.up_to, sealChangeset);
}
