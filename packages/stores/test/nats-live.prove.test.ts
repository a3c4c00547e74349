import type { AgentEvent } from "@reprise/contracts";
import { eventually } from "@reprise/testkit";
import { createRuntime, defineAgent, type Runtime, scriptedModel } from "reprise";
import { expect, it, onTestFinished, vi } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { natsLive } from "../src/nats-live/open-nats-live.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { type NatsServer, startNats } from "./nats/start-nats.ts";
import { useServer } from "./postgres/use-server.ts";
import { type Child, nextLine, runChild } from "./support/run-child.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

type RunOf = Awaited<ReturnType<Runtime["run"]>>;

describeWithService("postgres", "processes that follow runs of others", (postgres) => {
  describeWithService("nats", "over NATS", (nats) => {
    const used = useServer(postgres);

    /** A worker process, and this one, which takes no work. */
    async function open() {
      const server = await startNats(nats, { hasJetStream: false });
      const schema = used.freshSchema();
      const store = await openPostgresStore({ url: used.url, schema });
      const live = await natsLive(server.url, { onProblem: () => undefined });
      await live.connected;
      const agent = defineAgent({ id: "slow", model: scriptedModel([]) });
      const runtime = await createRuntime({ agents: [agent], store, live, limits: { maxActiveRuns: 0 } });
      onTestFinished(async () => {
        await runtime.close();
        await Promise.all([live.close(), store.close()]);
        await server.stop();
      });
      const startWorker = async (owner: string): Promise<Child> => {
        const child = runChild("../nats/tell-slowly.ts", used.url, schema, server.url, owner);
        expect(await nextLine(child)).toBe("ready");
        return child;
      };
      return { server, store, runtime, startWorker };
    }

    /** Reads a run to its end, beside the test. */
    function read(run: RunOf) {
      const events: AgentEvent[] = [];
      const ended = (async () => {
        for await (const event of run.events()) events.push(event);
      })();
      const hears = (text: string): Promise<void> =>
        eventually(() => {
          const since = events.findLastIndex(({ type }) => type === "stream_reset") + 1;
          const said = events.slice(since).flatMap((event) => (event.type === "text_delta" ? [event.data.delta] : []));
          expect(said.join("")).toContain(text);
        });
      return { events, ended, hears };
    }

    const say = ({ process }: Child, text: string): void => void process.stdin?.write(`${text}\n`);

    /** What is left for a reader after all withdrawals. */
    function kept(events: readonly AgentEvent[]): readonly AgentEvent[] {
      let left: AgentEvent[] = [];
      for (const event of events) {
        if (event.type === "stream_reset") left = left.filter(({ seq = 0 }) => seq <= event.data.from_seq);
        else left.push(event);
      }
      return left;
    }

    it("see its text token by token, also when they come late, and end with what is stored", async () => {
      const { runtime, startWorker } = await open();
      const worker = await startWorker("one");
      const run = await runtime.start({ agent: "slow", threadId: "t1", input: "Tell." });
      const reader = read(run);
      expect(await nextLine(worker)).toBe("asked");
      for (const word of ["Once", "upon"]) {
        say(worker, word);
        await reader.hears(word);
      }
      const late = read(await runtime.run(run.id));
      await late.hears("Onceupon");
      // Nothing of it is committed yet.
      expect((await run.record()).steps ?? 0).toBe(0);
      say(worker, "");
      await Promise.all([reader.ended, late.ended]);
      const stored = await Array.fromAsync(run.events());
      expect(reader.events).toEqual(stored);
      expect(late.events).toEqual(stored);
    });

    it("have what a killed process showed withdrawn, and follow the one that takes over", async () => {
      const { runtime, startWorker } = await open();
      const first = await startWorker("one");
      const run = await runtime.start({ agent: "slow", threadId: "t1", input: "Tell." });
      const reader = read(run);
      expect(await nextLine(first)).toBe("asked");
      say(first, "lost");
      await reader.hears("lost");
      first.process.kill("SIGKILL");
      const second = await startWorker("two");
      expect(await nextLine(second)).toBe("asked");
      say(second, "kept");
      await reader.hears("kept");
      say(second, "");
      await reader.ended;
      expect(reader.events.map(({ type }) => type)).toContain("stream_reset");
      const stored = await Array.fromAsync(run.events());
      expect(JSON.stringify(stored)).not.toContain("lost");
      expect(kept(reader.events)).toEqual(stored);
    });

    it.each<[string, (server: NatsServer) => Promise<void>, (server: NatsServer) => Promise<void> | void]>([
      ["is killed", (server) => server.kill(), (server) => server.start()],
      ["stands still", (server) => server.pause(), (server) => server.resume()],
    ])("miss nothing when the server %s, and see tokens again afterwards", async (_, stop, goOn) => {
      const { server, runtime, startWorker } = await open();
      const worker = await startWorker("one");
      const run = await runtime.start({ agent: "slow", threadId: "t1", input: "Tell." });
      const reader = read(run);
      expect(await nextLine(worker)).toBe("asked");
      say(worker, "before");
      await reader.hears("before");
      await stop(server);
      say(worker, "during");
      say(worker, "");
      // Committed events come from the store.
      await reader.ended;
      expect(kept(reader.events)).toEqual(await Array.fromAsync(run.events()));
      await goOn(server);
      const next = await runtime.start({ agent: "slow", threadId: "t2", input: "Tell." });
      const again = read(next);
      expect(await nextLine(worker)).toBe("asked");
      // Both reconnect by themselves; until then tokens are lost, and the next ones come behind a gap.
      const fresh = await eventually(async () => {
        const reader = read(await runtime.run(next.id));
        say(worker, "after");
        await reader.hears("after");
        return reader;
      });
      say(worker, "");
      await Promise.all([again.ended, fresh.ended]);
      expect(kept(again.events)).toEqual(await Array.fromAsync(next.events()));
    });

    it("open while the server is away, and say so once", async () => {
      const problems: string[] = [];
      const live = await natsLive("nats://127.0.0.1:9", { onProblem: (problem) => problems.push(problem) });
      await eventually(() => expect(problems).toHaveLength(1));
      expect(problems[0]).toContain("Live events do not reach other processes");
      live.show("default", { epoch: 1, event: { type: "run_start" } as AgentEvent });
      live.follow({ tenant: "default", run_id: "r" }, () => undefined)();
      await live.close();
      await expect(natsLive("nats://127.0.0.1:9", { prefix: "no spaces" })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
      });
    });
  });
});
