import { AxeBuilder } from "@axe-core/playwright";
import { defineAgent, definePlugin, scriptedModel } from "reprise";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { type OpenStudio, openScreen, openStudio } from "./support/open-studio.ts";

describeWithService("chromium", "agents in the studio", ({ binary }) => {
  const servers = definePlugin({
    id: "servers",
    parts: () => [
      { kind: "mcp_server", name: "weather", state: "failed", message: "It does not answer.", details: { tools: [] } },
      { kind: "skill", name: "haiku", state: "ready", message: "Writes haiku." },
    ],
  });
  const clerk = defineAgent({
    id: "clerk",
    instructions: "Be brief.",
    plugins: [servers],
    model: scriptedModel(({ system }) => `My prompt is: ${system}`),
  });
  let open: OpenStudio;
  beforeAll(async () => {
    open = await openStudio(binary, [clerk]);
  }, 60_000);
  afterAll(() => open.close(), 60_000);

  it("tries another prompt on a recorded turn, and shows both answers side by side", async () => {
    await (await open.runtime.start({ agent: "clerk", threadId: "recorded", input: "Who are you?" })).outcome();
    const page = await openScreen(open, "/agents/clerk");
    const playground = page.getByRole("region", { name: "Playground" });
    const recorded = playground.getByRole("region", { name: "Recorded" });
    await recorded.getByText("My prompt is: Be brief.").waitFor();
    await playground.getByLabel("Prompt").fill("Rhyme.");
    await playground.getByRole("button", { name: "Try it" }).click();
    await playground.getByRole("region", { name: "Tried" }).getByText("My prompt is: Rhyme.").waitFor();
    await recorded.getByText("My prompt is: Be brief.").waitFor();
    await page.getByRole("region", { name: "MCP servers" }).getByText("It does not answer.").first().waitFor();
    await page.getByRole("region", { name: "Skills" }).getByText("haiku", { exact: true }).first().waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual([]);
    await playground.getByRole("link", { name: "compare step by step" }).click();
    await page.waitForURL(/\/compare\//);
  }, 60_000);
});
