import type { Locator, Page } from "playwright-core";

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
