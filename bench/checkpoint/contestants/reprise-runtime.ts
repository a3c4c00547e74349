import type { Contestant } from "../contestant.ts";
import { openRuntime } from "../load/open-runtime.ts";
import { ANSWER, QUESTION } from "../load/workload.ts";
import { countVersions, type OpenedStore } from "./reprise-store.ts";

/** Everything: the runtime on our store, with a model that answers at once. Every event is read. */
export function repriseRuntime(name: string, open: () => Promise<OpenedStore>): Contestant {
  return {
    name,
    note: "`runtime.start` and `run.events()` read to the end; four commits a run, leases, journal",
    async open() {
      const { store, close } = await open();
      const runtime = await openRuntime(store);
      return {
        async run() {
          const run = await runtime.start({ agent: "bench", input: QUESTION });
          let text = "";
          for await (const event of run.events()) if (event.type === "text_delta") text += event.data.delta;
          if (text !== ANSWER) throw new Error(`The run ${run.id} gave another answer.`);
        },
        countKept: () => countVersions(store.forTenant("default")),
        async close() {
          await runtime.close();
          await close();
        },
      };
    },
  };
}
