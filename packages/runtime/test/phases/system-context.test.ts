import { addSystemContext, operatorText } from "@reprise/contracts";
import { expect, it } from "vitest";
import { hookPlugin } from "./support/hook-plugin.ts";
import { playPlugins } from "./support/play-plugins.ts";

const saying = (id: string, ...texts: readonly string[]) =>
  hookPlugin(id, "before_inference", () => texts.map((text) => addSystemContext(operatorText(text))));

it("follows the instructions, in the order of the plugins and of their actions", async () => {
  const plugins = [saying("a", "First.", "Second."), saying("b", "Third.")];
  const { model } = await playPlugins(plugins, { agent: { instructions: "You plan." } });
  expect(model.requests[0]?.system).toBe("You plan.\n\nFirst.\n\nSecond.\n\nThird.");
});

it("stands alone when there are no instructions, and empty texts leave no gap", async () => {
  const { model } = await playPlugins([saying("a", "", "Only this.")]);
  expect(model.requests[0]?.system).toBe("Only this.");
});

it("is for one inference: the next one begins with the instructions again", async () => {
  const once = hookPlugin("a", "before_inference", ({ step }) =>
    step === 1 ? [addSystemContext(operatorText`Once.`)] : [],
  );
  const { model, messages } = await playPlugins([once], { agent: { instructions: "You plan." } });
  expect(model.requests.map(({ system }) => system)).toEqual(["You plan.\n\nOnce.", "You plan."]);
  expect(JSON.stringify(messages)).not.toContain("Once.");
});
