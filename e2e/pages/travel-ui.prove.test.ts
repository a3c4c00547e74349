import { expect, it } from "vitest";
import { describePage, sayAndSend as say } from "./support/describe-page.ts";

describePage({ example: "travel-ui", ready: /\/stream\?/ }, ({ open, crash }) => {
  it("shows the plan day by day, and asks with the exact arguments before it creates the trip", async () => {
    const page = await open();
    await say(page, "three days in Lisbon for two");
    const plan = page.getByRole("article", { name: "Plan for Lisbon" });
    await plan.getByText("Hills and trams").waitFor();
    const question = page.getByRole("region", { name: "Approval" });
    await question.waitFor();
    expect(await plan.getByRole("listitem").count()).toBe(3);
    expect(await question.getByRole("definition").allTextContents()).toEqual(["Lisbon", "3", "−2+"]);
    // Nothing is created before the person says so.
    expect(await page.getByRole("article", { name: "Trip to Lisbon" }).count()).toBe(0);
    await question.getByRole("button", { name: "Create trip" }).click();
    await page.getByRole("article", { name: "Trip to Lisbon" }).getByText("€840").waitFor();
    await page.getByText("Your trip to Lisbon is created.").waitFor();
    expect([await question.count(), await plan.count()]).toEqual([0, 0]);
  });

  it("creates the trip with the arguments that the person changed", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Two days in Kyoto for one" }).click();
    await page.getByRole("button", { name: "More travellers" }).click();
    await page.getByRole("button", { name: "More travellers" }).click();
    await page.getByRole("button", { name: "Create trip" }).click();
    const trip = page.getByRole("article", { name: "Trip to Kyoto" });
    await trip.getByText("3 travellers").waitFor();
    await trip.getByText("€840").waitFor();
  });

  it("creates nothing when the person says no", async () => {
    const page = await open();
    await say(page, "one day in Oslo");
    await page.getByRole("button", { name: "Not now" }).click();
    await page.getByText("I have created nothing.").waitFor();
    expect(await page.getByRole("article", { name: "Trip to Oslo" }).count()).toBe(0);
    expect(await page.getByRole("article", { name: "Plan for Oslo" }).count()).toBe(1);
  });

  it("still asks after the server was killed and the page was loaded again, and shows trips again", async () => {
    const page = await open();
    await say(page, "one day in Oslo for one");
    const create = page.getByRole("button", { name: "Create trip" });
    await create.waitFor();
    await crash();
    await page.reload();
    await create.click();
    const trip = page.getByRole("article", { name: "Trip to Oslo" });
    await trip.getByText("€140").waitFor();
    await page.reload();
    await trip.getByText("€140").waitFor();
  });

  it("fits on a phone", async () => {
    const page = await open({ viewport: { width: 390, height: 844 } });
    await page.getByRole("button", { name: "Three days in Lisbon for two" }).click();
    await page.getByRole("button", { name: "Create trip" }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByRole("button", { name: "Create trip" }).click();
    await page.getByRole("article", { name: "Trip to Lisbon" }).waitFor();
  });
});
