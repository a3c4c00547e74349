import type { Scene } from "./scene.ts";
import { book, weather, wire } from "./scene-tools.ts";
import { openStage, recordRun, settle } from "./stage.ts";

const bookTable = () => openStage({ tools: [book], script: [[{ call: "book" }], "That is that."] });

/** Questions that are not over with the first answer. */
export const ASKED: readonly Scene[] = [
  {
    name: "asked-again",
    about: "A tool that could not use the first answer and asked once more.",
    async record() {
      const stage = await bookTable();
      const run = await stage.start();
      await run.outcome();
      for (const result of ["many", 4]) {
        const [open] = await stage.runtime.decisions.list();
        await stage.runtime.decisions.decide(open?.id ?? "", { action: "supply", result });
        await settle();
      }
      return recordRun(stage, run);
    },
  },
  {
    name: "expired",
    about: "A question nobody answered in time.",
    async record() {
      const stage = await bookTable();
      const run = await stage.start();
      await run.outcome();
      await stage.env.advance(61_000);
      await settle();
      return recordRun(stage, run);
    },
  },
  {
    name: "goes-on",
    about: "A model that went on while a call waited; the call was edited when its step was long over.",
    async record() {
      const stage = await openStage({
        tools: [wire, weather],
        agent: { partialSuspension: "continue" },
        script: [
          [
            { call: "wire", arguments: { to: "Ada", amount: 10 } },
            { call: "weather", arguments: { city: "Oslo" } },
          ],
          "Meanwhile: it is cold.",
          "And it is paid.",
        ],
      });
      const run = await stage.start();
      await run.outcome();
      const [open] = await stage.runtime.decisions.list();
      await stage.runtime.decisions.decide(open?.id ?? "", { action: "edit", arguments: { to: "Ada", amount: 1 } });
      await settle();
      return recordRun(stage, run);
    },
  },
];
