import { buildCall, buildEvents, buildMessage } from "@reprise/testkit";
import { expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { useServer } from "./postgres/use-server.ts";
import { startRun } from "./support/thread-work.ts";

/** Text that the JSON functions of Postgres refuse, beside text that only looks like it. */
const ODD = "nul \u0000\u0000 half \ud83d whole 🦊 escape \\u0000 end";
const SHOWN = "nul \ufffd\ufffd half \ufffd whole 🦊 escape \\u0000 end";

describeWithService("postgres", "the views of a Postgres store", (service) => {
  const used = useServer(service);

  async function useFilled() {
    const opened = await used.useSchema();
    const { run, commit } = await startRun(opened.store.forTenant("t"), "thread-1");
    const place = { run_id: run.run_id, thread_id: "thread-1" };
    const call = buildCall({ ...place, call_id: "c1", arguments: { text: ODD } });
    await commit({
      messages: [buildMessage("m-odd", { content: ODD })],
      calls: [call],
      supersedes: ["thread-1-run-1-m0"],
    });
    const deltas = ["Hel", "lo"].map((delta, index) => ({
      ...{ type: "text_delta", ...place, seq: 3 + index, timestamp_ms: 1, step_id: "s1", data: { delta } },
    }));
    const messages = [buildMessage("m-hello", { content: "Hello" }), buildMessage("m-last")];
    const events = [...deltas, ...buildEvents(run, 5, 1)] as ReturnType<typeof buildEvents>;
    const done = { ...run, status: "done", metadata: { note: ODD }, last_seq: 5 } as const;
    await commit({ messages, events, calls: [{ ...call, status: "succeeded" }], runs: [done] });
    return { ...opened, run };
  }

  it("show one row a message, with its position and whether it was superseded", async () => {
    const { sql, run } = await useFilled();
    const rows = await sql(
      "select tenant, thread_id, run_id, version, position, is_superseded, id, message ->> 'content' as content from messages order by position",
    );
    const place = { tenant: "t", thread_id: "thread-1", run_id: run.run_id };
    expect(rows).toEqual([
      { ...place, version: 1, position: 0, is_superseded: true, id: "thread-1-run-1-m0", content: expect.any(String) },
      { ...place, version: 2, position: 1, is_superseded: false, id: "m-odd", content: SHOWN },
      { ...place, version: 3, position: 2, is_superseded: false, id: "m-hello", content: "Hello" },
      { ...place, version: 3, position: 3, is_superseded: false, id: "m-last", content: expect.any(String) },
    ]);
  });

  it("show one row an event, and deltas that follow each other as one", async () => {
    const { sql, run } = await useFilled();
    const rows = await sql(
      "select thread_id, run_id, version, seq, type, event -> 'deltas' ->> 'lengths' as lengths from events order by seq",
    );
    const place = { thread_id: "thread-1", run_id: run.run_id };
    expect(rows.map(({ version, seq }) => [version, seq])).toEqual([
      [2, 1],
      [3, 3],
      [3, 5],
    ]);
    expect(rows[1]).toEqual({ ...place, version: 3, seq: 3, type: "text_delta", lengths: "[3,2]" });
  });

  it("show one row a run and one a call, as the last commit left them", async () => {
    const { sql, run } = await useFilled();
    const place = { tenant: "t", thread_id: "thread-1", run_id: run.run_id };
    const runs = await sql(
      "select tenant, thread_id, run_id, version, last_seq, status, record -> 'metadata' ->> 'note' as note from runs",
    );
    expect(runs).toEqual([{ ...place, version: 3, last_seq: 5, status: "done", note: SHOWN }]);
    const calls = await sql(
      "select tenant, thread_id, run_id, version, call_id, status, call -> 'arguments' ->> 'text' as text from calls",
    );
    expect(calls).toEqual([{ ...place, version: 3, call_id: "c1", status: "succeeded", text: SHOWN }]);
  });

  it("show the messages and calls of a thread whose history was pruned, and no events", async () => {
    const { sql, store, run } = await useFilled();
    const next = await startRun(store.forTenant("t"), "thread-1", 2);
    await next.commit({ runs: [{ ...next.run, base_version: 3, status: "done" }] });
    expect(await store.operator.prune({ historyVersions: 0 })).toMatchObject({ versions: expect.any(Number) });
    expect(await sql("select id from messages")).toHaveLength(6);
    expect(await sql("select call_id from calls")).toHaveLength(1);
    expect(await sql(`select seq from events where run_id = '${run.run_id}'`)).toEqual([]);
  });
});
