import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describePage, sayAndSend as say } from "./support/describe-page.ts";

describePage({ example: "research-ui", ready: /\/v1\/runs\?/ }, ({ open, crash }) => {
  const sources = (page: Page) => page.getByRole("list", { name: "Sources" }).getByRole("listitem");
  const gauges = "A year of tide gauges";

  async function research(page: Page): Promise<void> {
    await say(page, "research tides");
    await page.getByText("3 sources on tides, and a summary.").waitFor();
  }

  it("shows sources as they are found, and the summary", async () => {
    const page = await open();
    await say(page, "research tides");
    await sources(page).first().waitFor();
    await page.getByRole("region", { name: "Summary" }).getByText("two high tides a day").waitFor();
    expect(await sources(page).count()).toBe(3);
    await page.getByText("3 sources on tides, and a summary.").waitFor();
  });

  it("asks at the source before it deletes it, and deletes that one alone", async () => {
    const page = await open();
    await research(page);
    await sources(page).filter({ hasText: gauges }).getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("group", { name: `Delete ${gauges}?` });
    await question.waitFor();
    expect(await page.getByRole("group").count()).toBe(1);
    expect(await sources(page).count()).toBe(3);
    await question.getByRole("button", { name: "Delete it" }).click();
    await page.getByText(`“${gauges}” is deleted.`).waitFor();
    await sources(page).filter({ hasText: gauges }).waitFor({ state: "detached" });
    expect(await sources(page).count()).toBe(2);
  });

  it("keeps a source when the person says so", async () => {
    const page = await open();
    await research(page);
    await say(page, `please delete ${gauges}`);
    await page.getByRole("button", { name: "Keep it" }).click();
    await page.getByText(`“${gauges}” stays.`).waitFor();
    expect(await sources(page).count()).toBe(3);
  });

  it("still asks after the server was killed and the page was loaded again", async () => {
    const page = await open();
    await research(page);
    await say(page, `delete ${gauges}`);
    const yes = page.getByRole("button", { name: "Delete it" });
    await yes.waitFor();
    await crash();
    await page.reload();
    await yes.click();
    await sources(page).filter({ hasText: gauges }).waitFor({ state: "detached" });
    await page.getByText(`“${gauges}” is deleted.`).waitFor();
  }, 120_000);

  it("fits on a phone", async () => {
    const page = await open({ viewport: { width: 390, height: 844 } });
    await page.getByRole("button", { name: "Research bees" }).click();
    await page.getByText("3 sources on bees, and a summary.").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
