import { openFileStore } from "../../../src/file/open-file-store.ts";

/** Opens a folder, says how that went, and has it until its input ends. */
const [, , folder = ""] = process.argv;
try {
  const store = await openFileStore({ folder });
  const threads = await store.forTenant("default").listThreads();
  console.log(JSON.stringify({ pid: process.pid, threads: threads.items.map(({ thread_id }) => thread_id) }));
  process.stdin.resume();
  process.stdin.once("end", () => void store.close());
} catch (error) {
  const { code, details } = error as { readonly code?: string; readonly details?: unknown };
  console.log(JSON.stringify({ pid: process.pid, code, details }));
}
