import { changeState, PHASES, type PhaseContext } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { createWorld } from "../support/open-runtime.ts";
import { gate, settle, soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { openPlugins, playPlugins } from "./support/play-plugins.ts";
import { tally } from "./support/tally.ts";

describe.each(PHASES)("the hooks of %s", (phase) => {
  it("see the state as it was when the phase began, whatever came before them in it", async () => {
    const seen: unknown[] = [];
    const look = ({ state }: PhaseContext, who: string) => {
      if (seen.length < 3) seen.push([who, state.get(tally), state.at(["tally"])]);
    };
    const first = hookPlugin(
      "first",
      phase,
      (context) => {
        look(context, "first");
        return [changeState(tally.add("one"))];
      },
      { states: [tally] },
    );
    const second = hookPlugin("second", phase, async (context) => {
      await settle(1);
      look(context, "second");
      return [changeState(tally.add("two"))];
    });
    const third = hookPlugin("third", phase, (context) => look(context, "third"));
    const { state } = await playPlugins([first, second, third]);
    expect(seen).toEqual([
      ["first", [], undefined],
      ["third", [], undefined],
      ["second", [], undefined],
    ]);
    expect(tally.read(state).slice(0, 2)).toEqual(["one", "two"]);
  });

  it("see the changes of the phase before", async () => {
    const seen: number[] = [];
    const plugin = hookPlugin("p", phase, ({ state }) => {
      seen.push(state.get(tally).length);
      return [changeState(tally.add("x"))];
    });
    const script = [[{ call: "add", arguments: { title: "a" } }], [{ call: "add", arguments: { title: "b" } }], "ok"];
    await playPlugins([{ ...plugin, states: [tally] }], { script });
    expect(seen).toEqual(seen.map((_, index) => index));
    expect(seen.length).toBeGreaterThanOrEqual(phase.startsWith("run") ? 1 : 2);
  });
});

it("asks the plugins in their order and applies what they say in their order, however long they take", async () => {
  const asked: string[] = [];
  const slow = gate();
  const plugins = ["a", "b", "c"].map((id) =>
    hookPlugin(
      id,
      "step_start",
      async () => {
        asked.push(id);
        if (id === "a" && asked.length === 1) await slow.promise;
        else slow.open();
        return [changeState(tally.add(id))];
      },
      id === "a" ? { states: [tally] } : {},
    ),
  );
  const { state } = await playPlugins(plugins, { script: ["ok"] });
  expect(asked).toEqual(["a", "b", "c"]);
  expect(tally.read(state)).toEqual(["a", "b", "c"]);
});

it("lets hooks that wait wait beside each other", async () => {
  const release = gate();
  let waiting = 0;
  const plugins = ["a", "b", "c"].map((id) =>
    hookPlugin(id, "before_tool_execute", async () => {
      waiting += 1;
      await release.promise;
    }),
  );
  const { runtime, keys } = await openPlugins(plugins);
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await settle();
  expect([waiting, keys]).toEqual([3, []]);
  release.open();
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
});

it("reads the clock once for all hooks of a phase", async () => {
  const world = createWorld();
  const seen: number[] = [];
  const first = hookPlugin("first", "step_start", ({ now }) => void seen.push(now));
  const second = hookPlugin("second", "step_start", async (context) => {
    await world.env.advance(500);
    seen.push(context.now);
  });
  await playPlugins([first, second], { world, script: ["ok"] });
  expect(seen).toHaveLength(2);
  expect(seen[1]).toBe(seen[0]);
});
