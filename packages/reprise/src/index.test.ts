import * as contracts from "@reprise/contracts";
import * as models from "@reprise/models";
import * as node from "@reprise/node";
import * as runtime from "@reprise/runtime";
import * as state from "@reprise/state";
import { expect, it } from "vitest";
import * as umbrella from "./index.ts";

it.each(Object.entries({ contracts, models, node, runtime, state }))("passes on every export of %s", (_, names) => {
  const missing = Object.keys(names).filter((name) => !(name in umbrella));
  expect(missing).toEqual([]);
});

it("runs an agent with nothing but an agent", async () => {
  const agent = umbrella.defineAgent({ id: "a", model: umbrella.scriptedModel(["Hello."]) });
  const own = await umbrella.createRuntime({ agents: [agent] });
  expect(await own.runToCompletion({ agent: "a", input: "Hi" })).toMatchObject({ status: "done", text: "Hello." });
  await own.close();
});
