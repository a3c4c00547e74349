import { describe, expect, it } from "vitest";
import { describeModel } from "../catalogue/describe-model.ts";
import { environmentProviders, withEnvironment } from "./environment-providers.ts";

describe("issue 14.7: models without a provider's name", () => {
  it.each([
    ["gpt-4o-mini", "openai"],
    ["gpt-4o", "openai"],
    ["o3-mini", "openai"],
    ["deepseek-chat", "deepseek"],
    ["claude-sonnet-4-5", "anthropic"],
    ["gemini-2.5-flash", "google"],
  ])("%s is a model of %s, and the catalogue knows it", (name, owner) => {
    const owners = environmentProviders({}).filter((provider) => provider.hasModel?.(name) === true);
    expect(owners.map(({ id }) => id)).toEqual([owner]);
    if (name !== "o3-mini") expect(describeModel(owner, name)?.pricing?.input_per_million).toBeGreaterThan(0);
  });

  it("has no owner for an unknown name", () => {
    const owners = environmentProviders({}).filter((provider) => provider.hasModel?.("llama3.2") === true);
    expect(owners).toEqual([]);
  });

  it("REPRISE_MODEL may be one", () => {
    const [model] = withEnvironment({}, { REPRISE_MODEL: "gpt-4o-mini" }).models;
    expect(model).toMatchObject({ id: "default", provider: "openai", model: "gpt-4o-mini", context_window: 128_000 });
  });
});
