import { scriptedModel } from "@reprise/models";
import type { Definitions } from "@reprise/runtime";
import { createDefinitions, readConfig } from "@reprise/server/config";

/** The agents of a configuration file: `report` has `first` and `second` look at the same time, and `writer` write. */
export function defineComposedAgents(asked: (agent: string) => void = () => undefined): Definitions {
  const file = {
    agents: [
      { id: "first", model: "first" },
      { id: "second", model: "second" },
      { id: "writer", model: "writer" },
      {
        id: "look",
        compose: { type: "parallel", steps: ["first", "second"], max_concurrency: 1, on_failure: "collect" },
      },
      {
        id: "report",
        compose: { type: "sequence", steps: ["look", { agent: "writer", input: "{input}: {previous}" }] },
      },
    ],
    models: Object.fromEntries(["first", "second", "writer"].map((id) => [id, { provider: "p", model: id }])),
    providers: { p: {} },
  };
  const createProvider = (id: string) => ({
    id,
    model: (name: string) =>
      scriptedModel(() => {
        asked(name);
        return `by ${name}`;
      }),
  });
  return createDefinitions(readConfig(file), { tools: [], plugins: [], createProvider, variable: () => undefined });
}
