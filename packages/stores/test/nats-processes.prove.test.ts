import { eventually } from "@reprise/testkit";
import fc from "fast-check";
import { createRuntime, defineAgent, defineTool, scriptedModel } from "reprise";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { openNatsBufferedStore } from "../src/nats-buffered/open-nats-buffered-store.ts";
import { expectWhole } from "./nats/expect-whole.ts";
import { type OpenedBuffered, useBufferedServers } from "./nats/use-buffered.ts";
import { nextLine, runChild } from "./support/run-child.ts";

describeWithService("postgres", "several processes", (postgres) => {
  describeWithService("nats", "on one buffered store", (nats) => {
    const used = useBufferedServers({ postgres, nats });

    it("lose nothing that was acknowledged when one is killed in the middle of commits", async () => {
      const { schema, sql, close } = await used.openBuffered();
      const counts = fc.sample(fc.integer({ min: 1, max: 400 }), {
        numRuns: 4,
        seed: fc.readConfigureGlobal().seed ?? 0,
      });
      const own = { stream: "killed", prefix: "killed" };
      const next = await openNatsBufferedStore({
        ...own,
        postgres: { url: used.postgres.url, schema },
        nats: { servers: used.nats.url },
      });
      const tenant = next.forTenant("default");
      for (const [round, count] of counts.entries()) {
        const parameters = [used.postgres.url, schema, used.nats.url, own.stream, String(round)];
        const child = runChild("../nats/commit-for-ever.ts", ...parameters);
        const acknowledged = new Map<string, string[]>();
        let heard = 0;
        for await (const line of child.lines) {
          const [threadId = "", changesetId = ""] = line.split(" ");
          acknowledged.set(threadId, [...(acknowledged.get(threadId) ?? []), changesetId]);
          heard += 1;
          if (heard === count) child.process.kill("SIGKILL");
        }
        await child.exited;
        // Its leases are over at once.
        await sql("update threads set claim_until = 0, work_at = 0 where claim_owner = 'owner'");
        const claims = await eventually(async () => {
          const granted = await next.operator.claim({ owner: `next-${round}`, lease_ms: 60_000, limit: 20 });
          expect(granted.length).toBeGreaterThan(0);
          return granted;
        });
        expect(claims.map(({ lost }) => lost)).toEqual(claims.map(() => undefined));
        for (const [threadId, ids] of acknowledged) {
          const stored = await expectWhole(tenant, threadId, `${threadId}-run-1`);
          // What was being written may be there or not; what was acknowledged is, in its order.
          expect(stored.slice(1, ids.length + 1)).toEqual(ids);
          expect(stored.length - 1 - ids.length).toBeLessThanOrEqual(1);
        }
      }
      await next.close();
      await close();
    });

    describe("a run whose process is killed in a tool", () => {
      /** Kills a process in the middle of a run, and waits for a runtime of this one to bring the run to its end. */
      async function finishElsewhere(name: string, between: (opened: OpenedBuffered) => Promise<unknown>) {
        const opened = await used.useBuffered({ stream: name, prefix: name, postgres: { clock: { now: Date.now } } });
        const parameters = [used.postgres.url, opened.schema, used.nats.url, name];
        const child = runChild("../nats/work-until-killed.ts", ...parameters);
        expect(await nextLine(child)).toBe("hangs");
        const promised = () => opened.sql("select promised_version as n from threads where promised_version > 1");
        await eventually(async () => expect(await promised()).toHaveLength(1));
        child.process.kill("SIGKILL");
        await child.exited;
        await between(opened);
        const tool = (id: string) => defineTool({ id, description: id, idempotent: true, execute: () => "done" });
        const model = scriptedModel(["All done."]);
        const agent = defineAgent({ id: "agent", tools: [tool("work"), tool("hang")], model });
        const limits = { leaseMs: 1_000, renewEveryMs: 200, pollMs: 100 };
        const runtime = await createRuntime({ agents: [agent], store: opened.store, limits });
        onTestFinished(() => runtime.close());
        const [run] = (await opened.store.forTenant("default").listRuns()).items;
        const runId = run?.run_id ?? "";
        return {
          outcome: await (await runtime.run(runId)).outcome(),
          tenant: opened.store.forTenant("default"),
          runId,
        };
      }

      it("continues in another process from what the first one committed", async () => {
        const { outcome, tenant, runId } = await finishElsewhere("goes_on", async () => {});
        expect(outcome).toMatchObject({ status: "done", text: "All done." });
        const ids = await expectWhole(tenant, "thread-1", runId);
        // Started, asked for work, worked, asked for the call that hung: by the first; the rest by the second.
        expect(ids.length).toBeGreaterThanOrEqual(6);
        expect((await tenant.listCalls({ run_id: runId })).items.map(({ status }) => status)).toEqual([
          "succeeded",
          "succeeded",
        ]);
      });

      it("fails aloud in another process when NATS has lost what the first one committed", async () => {
        const { outcome, tenant, runId } = await finishElsewhere("fails", ({ stream }) =>
          used.manage((manager) => manager.streams.purge(stream)),
        );
        expect(outcome).toMatchObject({ status: "failed", code: "BUFFER_LOST" });
        await expectWhole(tenant, "thread-1", runId);
        expect(await tenant.loadRun(runId)).toMatchObject({ status: "done" });
      });
    });
  });
});
