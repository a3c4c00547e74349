import { buildEntry } from "@reprise/testkit";
import { expect, it } from "vitest";
import { openFileStore } from "../src/file/open-file-store.ts";
import { usePlace } from "./file/temporary-file-store.ts";
import { nextLine, runChild } from "./support/run-child.ts";
import { startRun } from "./support/thread-work.ts";

const HOLD = "../file/children/hold-folder.ts";

it("refuses a second process, with the process id of the first", async () => {
  const folder = usePlace();
  const child = runChild(HOLD, folder);
  const { pid } = JSON.parse(await nextLine(child));
  expect(pid).toBe(child.process.pid);
  const refusal = { code: "STORE_OWNED", details: { owner_pid: pid } };
  await expect(openFileStore({ folder })).rejects.toMatchObject(refusal);
  await expect(openFileStore({ folder })).rejects.toMatchObject(refusal);
});

it("has its folder to itself against a process that comes later, and lets it in when it closes", async () => {
  const folder = usePlace();
  const store = await openFileStore({ folder });
  const second = await openFileStore({ folder });
  await store.forTenant("default").createThread({ thread_id: "t1", metadata: {} });
  const refused = { code: "STORE_OWNED", details: { owner_pid: process.pid } };
  expect(JSON.parse(await nextLine(runChild(HOLD, folder)))).toMatchObject(refused);
  await store.close();
  // The other handle of this process still has it.
  expect(JSON.parse(await nextLine(runChild(HOLD, folder)))).toMatchObject(refused);
  await second.close();
  expect(JSON.parse(await nextLine(runChild(HOLD, folder)))).toMatchObject({ threads: ["t1"] });
});

it("is free at once when its process is killed", async () => {
  const folder = usePlace();
  const child = runChild(HOLD, folder);
  await nextLine(child);
  child.process.kill("SIGKILL");
  await child.exited;
  await (await openFileStore({ folder })).close();
});

it("gives work of a process that is gone to the next one without waiting for its leases", async () => {
  const folder = usePlace();
  const first = await openFileStore({ folder });
  const { run } = await startRun(first.forTenant("default"), "left");
  await first.forTenant("default").submit(buildEntry({ thread_id: "queued" }));
  await first.operator.claim({ owner: "owner", lease_ms: 60_000, limit: 10 });
  await first.close();
  const second = await openFileStore({ folder });
  const claims = await second.operator.claim({ owner: "second", lease_ms: 60_000, limit: 10 });
  expect(claims.map(({ thread_id, kind }) => [thread_id, kind])).toEqual([
    ["left", "recover"],
    ["queued", "start"],
  ]);
  expect(claims[0]?.run).toMatchObject({ run_id: run.run_id, recoveries: 1 });
  // Only once: these are not left behind.
  expect(await second.operator.claim({ owner: "third", lease_ms: 60_000, limit: 10 })).toEqual([]);
  await second.close();
});
