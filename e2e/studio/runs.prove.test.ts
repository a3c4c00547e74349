import { defineAgent, scriptedModel } from "reprise";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { type OpenStudio, openScreen, openStudio } from "./support/open-studio.ts";

/** More than any page of a list has. */
const THREADS = 230;

describeWithService("chromium", "lists of the studio that are longer than a page", ({ binary }) => {
  let opened: OpenStudio;
  beforeAll(async () => {
    const clerk = defineAgent({
      id: "clerk",
      model: scriptedModel(({ messages }) => {
        const said = JSON.stringify(messages.at(-1));
        if (said.includes("break")) return [{ fail: "invalid_request" }];
        return said.includes("stall") ? [{ stall: true }] : "Done.";
      }),
    });
    opened = await openStudio(binary, [clerk]);
    const start = (threadId: string, input: string) => opened.runtime.start({ agent: "clerk", threadId, input });
    await (await start("oldest", "where is the needle")).outcome();
    await (await start("broken", "break")).outcome();
    const stalled = await start("stalled", "stall");
    await stalled.cancel();
    await stalled.outcome();
    for (let at = 0; at < THREADS; at += 1) await (await start(`hay-${at}`, `hay ${at}`)).outcome();
  }, 180_000);
  afterAll(() => opened.close(), 60_000);

  it("finds a run by a word of its thread on any page, and opens it by a link", async () => {
    const page = await openScreen(opened, "/runs");
    const table = page.getByRole("table", { name: "Runs" });
    await table.getByRole("link", { name: `hay ${THREADS - 1}`, exact: true }).waitFor();
    expect(await table.getByRole("link", { name: "where is the needle" }).count()).toBe(0);
    await page.getByRole("searchbox", { name: "Search runs" }).fill("needle");
    await page.getByText(`1 of ${THREADS + 3} runs`, { exact: true }).waitFor();
    const link = table.getByRole("link", { name: "where is the needle" });
    expect(await link.getAttribute("href")).toMatch(/\/runs\/[\w-]+$/);
    await link.click();
    await page.getByRole("button", { name: "Verify replay" }).waitFor();
    await page.goBack();
    await page.getByText(`1 of ${THREADS + 3} runs`, { exact: true }).waitFor();
  }, 90_000);

  it("filters runs that failed and runs that were cancelled", async () => {
    const page = await openScreen(opened, "/runs");
    const rows = page
      .getByRole("table", { name: "Runs" })
      .getByRole("row")
      .filter({ has: page.getByRole("checkbox") });
    const status = page.getByRole("combobox", { name: "Status" });
    await status.selectOption("failed");
    await rows.getByText("failed", { exact: true }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByRole("link", { name: "break" }).waitFor();
    await status.selectOption("cancelled");
    await rows.getByText("cancelled", { exact: true }).waitFor();
    await expect.poll(() => rows.count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("status")).toBe("cancelled");
    await page.reload();
    await rows.getByRole("link", { name: "stall" }).waitFor();
    await status.selectOption("done");
    await rows.getByRole("link", { name: `hay ${THREADS - 1}`, exact: true }).waitFor();
    await page.getByRole("searchbox", { name: "Search runs" }).fill("stall");
    await page.getByRole("heading", { name: "No run matches" }).waitFor();
  }, 90_000);

  it("shows threads page by page to the last one, and finds one that is not in sight", async () => {
    const page = await openScreen(opened, "/");
    const threads = page.getByRole("navigation", { name: "Threads" });
    const shown = threads.getByRole("listitem");
    await expect.poll(() => shown.count()).toBe(100);
    await page.getByRole("searchbox", { name: "Search threads" }).fill("needle");
    await threads.getByRole("button", { name: /where is the needle/ }).waitFor();
    await expect.poll(() => shown.count()).toBe(1);
    await page.getByRole("searchbox", { name: "Search threads" }).fill("");
    await expect.poll(() => shown.count()).toBe(THREADS + 3);
    await page.reload();
    const more = threads.getByRole("button", { name: "Show more" });
    await more.click();
    await expect.poll(() => shown.count()).toBe(200);
    await more.click();
    await expect.poll(() => shown.count()).toBe(THREADS + 3);
    await more.waitFor({ state: "detached" });
  }, 90_000);
});
