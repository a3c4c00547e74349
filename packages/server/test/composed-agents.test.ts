import { scriptedModel } from "@reprise/models";
import { createDefinitions, readConfig } from "@reprise/server/config";
import { expect, it } from "vitest";

const define = (compositions: { readonly [id: string]: object }): unknown => {
  const composed = Object.entries(compositions).map(([id, compose]) => ({ id, compose }));
  const file = { agents: [{ id: "writer", model: "p/m" }, ...composed], providers: { p: {} } };
  const createProvider = (id: string) => ({ id, model: () => scriptedModel(["x"]) });
  try {
    return createDefinitions(readConfig(file), { tools: [], plugins: [], createProvider, variable: () => undefined });
  } catch (error) {
    return (error as { readonly details: { readonly problems: unknown } }).details.problems;
  }
};

it("names the composed agent of a configuration that has an unknown part, or is a part of itself", () => {
  expect(define({ whole: { type: "sequence", steps: ["writer", "wirter"] } })).toMatchObject([
    { path: "agents[1].compose", message: expect.stringContaining('Did you mean "writer"?') },
  ]);
  expect(
    define({ a: { type: "sequence", steps: ["b"] }, b: { type: "refine", generator: "writer", critic: "a" } }),
  ).toMatchObject([
    { path: "agents[1].compose", message: expect.stringContaining("a → b → a") },
    { path: "agents[2].compose", message: expect.stringContaining("b → a → b") },
  ]);
});

it("takes a composed agent of a configuration without a model, although other agents have a default one", () => {
  expect(define({ whole: { type: "parallel", steps: ["writer"], max_concurrency: 2 } })).toHaveProperty("agents");
});
