import type { BackendNotes, EndedBackendRun, RunRecord } from "@reprise/contracts";
import type { Services } from "./services.ts";

const KIND = "backend_note";

/** A thread that its agent does not work on for so long begins anew in the other service. */
const KEPT_MS = 90 * 86_400_000;

/** A run as its backend is told of it: its ids, its notes and a way to the other service. */
export function describeToBackend(
  { env, store, time }: Services,
  tenant: string,
  { run_id, thread_id }: RunRecord,
  agentId: string,
): EndedBackendRun {
  const documents = store.forTenant(tenant);
  const idOf = (of: "run" | "thread"): string =>
    env.hash(JSON.stringify([of, agentId, of === "run" ? run_id : thread_id]));
  const notes: BackendNotes = {
    load: async (of) => (await documents.loadDocument(KIND, idOf(of)))?.body,
    async save(of, body) {
      const id = idOf(of);
      const document = { kind: KIND, id, body, expires_at: time.now() + KEPT_MS };
      for (;;) {
        const revision = (await documents.loadDocument(KIND, id))?.revision ?? 0;
        if ((await documents.saveDocument(document, revision)).saved) return;
      }
    },
  };
  return { runId: run_id, threadId: thread_id, notes, ...(env.egress !== undefined && { egress: env.egress }) };
}
