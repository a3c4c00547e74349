import type { Page } from "playwright-core";
import { defineAgent, scriptedModel } from "reprise";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { say, threadOf, untilIdle } from "./support/chat-page.ts";
import { type OpenStudio, openScreen, openStudio } from "./support/open-studio.ts";

const NOTE = { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("Read me.") };

describeWithService("chromium", "drafts of the composer", ({ binary }) => {
  let opened: OpenStudio;
  beforeAll(async () => {
    const echo = defineAgent({
      id: "echo",
      model: scriptedModel(({ messages }) => `Heard ${messages.length}.`),
    });
    opened = await openStudio(binary, [echo]);
  }, 90_000);
  afterAll(() => opened.close(), 60_000);

  const field = (page: Page) => page.getByRole("textbox", { name: "Message" });
  const attached = (page: Page) => page.getByRole("list", { name: "Attached files" });
  const attach = async (page: Page): Promise<void> => {
    const chosen = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach files" }).click();
    await (await chosen).setFiles(NOTE);
    await attached(page).getByText("note.txt").waitFor();
  };
  /** A thread with one answer. */
  const begin = async (page: Page, text: string): Promise<string> => {
    await page.getByRole("button", { name: "New thread" }).click();
    await page.getByRole("heading", { name: "Start a conversation" }).waitFor();
    await say(page, text);
    await page.waitForURL(/threads/);
    await page.getByText(/^Heard/).waitFor();
    await untilIdle(page);
    return threadOf(page);
  };

  it("belong to their thread, and are there again after the page was left or loaded anew", async () => {
    const page = await openScreen({ browser: opened.browser, url: opened.url }, "/");
    await begin(page, "first thread");
    await begin(page, "second thread");
    const threads = page.getByRole("navigation", { name: "Threads" });
    const go = async (name: string): Promise<void> => {
      const before = page.url();
      await threads.getByRole("button", { name: new RegExp(name) }).click();
      await page.waitForURL((address) => address.href !== before);
    };
    await field(page).fill("for the second");
    await attach(page);
    await go("first thread");
    await expect.poll(() => field(page).inputValue()).toBe("");
    expect(await attached(page).count()).toBe(0);
    await field(page).fill("for the first");
    await go("second thread");
    await expect.poll(() => field(page).inputValue()).toBe("for the second");
    await attached(page).getByText("note.txt").waitFor();
    await page.reload();
    await attached(page).getByText("note.txt").waitFor();
    expect(await field(page).inputValue()).toBe("for the second");
    await go("first thread");
    await expect.poll(() => field(page).inputValue()).toBe("for the first");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to" }).waitFor();
    await page.keyboard.type("Runs");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Runs", exact: true }).waitFor();
    await page.goBack();
    await expect.poll(() => field(page).inputValue()).toBe("for the first");
  }, 90_000);

  it("come back with their files when the message is refused, before what was written meanwhile", async () => {
    const page = await openScreen({ browser: opened.browser, url: opened.url }, "/", { expected: /status of 422/ });
    const thread = await begin(page, "to be refused");
    const held = Promise.withResolvers<void>();
    await page.route(/\/v1\/runs\?children/, async (route) => {
      await held.promise;
      await route.fulfill({ status: 422, json: { error: "The message is not wanted." } });
    });
    await field(page).fill("look at this");
    await attach(page);
    await page.keyboard.press("Enter");
    await expect.poll(() => field(page).inputValue()).toBe("");
    expect(await attached(page).count()).toBe(0);
    await field(page).fill("and another thing");
    held.resolve();
    await page.getByRole("alert").getByText("The message is not wanted.").waitFor();
    await expect.poll(() => field(page).inputValue()).toBe("look at this\n\nand another thing");
    await attached(page).getByText("note.txt").waitFor();
    await page.unrouteAll();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".said.user").nth(1).waitFor();
    await untilIdle(page);
    const { messages } = await opened.runtime.threads.messages(thread);
    const sent = messages.findLast(({ role }) => role === "user")?.content;
    expect(sent).toEqual([
      { type: "text", text: "look at this\n\nand another thing" },
      expect.objectContaining({ type: "file", filename: "note.txt", media_type: "text/plain" }),
    ]);
  }, 90_000);

  it("are put aside while an earlier message is written anew, with the files of that message", async () => {
    const page = await openScreen({ browser: opened.browser, url: opened.url }, "/");
    await attach(page);
    await say(page, "to be changed");
    await page.waitForURL(/threads/);
    await page.getByText(/^Heard/).waitFor();
    await untilIdle(page);
    // Only what is stored can be written anew.
    await page.reload();
    await field(page).fill("not yet sent");
    await page.locator(".said.user").hover();
    await page.getByRole("button", { name: "Edit and resend" }).click();
    expect(await field(page).inputValue()).toBe("to be changed");
    await attached(page).getByText("note.txt").waitFor();
    await page.getByRole("button", { name: "Keep it" }).click();
    expect(await field(page).inputValue()).toBe("not yet sent");
    expect(await attached(page).count()).toBe(0);
    await page.getByRole("button", { name: "Edit and resend" }).click();
    await field(page).fill("changed");
    await page.keyboard.press("Enter");
    await page.locator(".said.user", { hasText: "changed" }).waitFor();
    await untilIdle(page);
    await expect.poll(() => page.locator(".said.user").allTextContents()).toEqual(["changed"]);
    const { messages } = await opened.runtime.threads.messages(threadOf(page));
    expect(messages.findLast(({ role }) => role === "user")?.content).toEqual([
      { type: "text", text: "changed" },
      expect.objectContaining({ type: "file", filename: "note.txt" }),
    ]);
  }, 90_000);
});
