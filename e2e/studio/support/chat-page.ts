import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";

export interface OpenPageOptions extends BrowserContextOptions {
  /** How long the page may take for anything; 15 s unless given. */
  readonly timeoutMs?: number;
  /** Errors of the console that the test brings about. */
  readonly expected?: RegExp;
  /** Runs before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** Opens the page in a fresh browser context. Any other error in it fails the test. */
export async function openChatPage(browser: Browser, url: string, options: OpenPageOptions = {}): Promise<Page> {
  const { timeoutMs = 15_000, expected, prepare, ...own } = options;
  const context = await browser.newContext(own);
  context.setDefaultTimeout(timeoutMs);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    const said = `${message.text()} ${message.location().url}`;
    if (message.type() === "error" && expected?.test(said) !== true) problems.push(said);
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await prepare?.(page);
  await page.goto(url);
  await page.getByRole("heading", { name: "Start a conversation" }).waitFor();
  return page;
}

/** The thread that the address names. */
export function threadOf(page: Page): string {
  return decodeURIComponent(new URL(page.url()).pathname.split("/").at(-1) ?? "");
}

/** Sends a message the way a person does: by the keyboard. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.keyboard.press("Enter");
}

/** Waits until no run is under way. */
export async function untilIdle(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send", exact: true }).waitFor();
}

/** The last card of a tool. */
export function call(page: Page, tool: string): Locator {
  return page.getByRole("article", { name: `Tool call ${tool}` }).last();
}

/** Everything the assistant said, in order. */
export function answers(page: Page): Promise<readonly string[]> {
  return page.locator(".said.assistant").allTextContents();
}
