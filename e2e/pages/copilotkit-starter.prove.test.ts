import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { ROOT } from "../../scripts/repository.mjs";
import { describePage } from "./support/describe-page.ts";

const STARTER = join(ROOT, "examples/copilotkit-starter");

/** The version of CopilotKit in a lockfile of the starter. */
function versionIn(lockfile: string): string | undefined {
  const file = join(STARTER, lockfile);
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, "utf8")).packages["node_modules/@copilotkit/react-core"]?.version;
}

if (versionIn("node_modules/.package-lock.json") !== versionIn("package-lock.json")) {
  console.error("examples/copilotkit-starter: installing its packages with npm ci (once, about 300 MB)");
  const words = ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", words, { cwd: STARTER, stdio: "pipe" });
}

const STARTED = { example: "copilotkit-starter", packages: STARTER, ready: /\/stream\?/ };

describePage(STARTED, ({ open, crash }) => {
  async function say(page: Page, text: string): Promise<void> {
    await page.getByRole("textbox").fill(text);
    await page.keyboard.press("Enter");
  }

  const shapesOn = (page: Page) => page.getByRole("region", { name: "Canvas" }).getByRole("listitem");

  it("chats, and shows the thread again when it is loaded again", async () => {
    const page = await open();
    await say(page, "hello");
    await page.getByText("You said: hello").waitFor();
    await page.reload();
    await page.getByText("You said: hello").waitFor();
  });

  it("shares the canvas: what the page draws reaches the agent, and what the agent draws the page", async () => {
    const page = await open();
    await page.getByRole("button", { name: "Draw a square" }).click();
    await say(page, "draw");
    await shapesOn(page).filter({ hasText: "circle" }).waitFor();
    expect(await shapesOn(page).allTextContents()).toEqual(["square", "circle"]);
    await page.reload();
    await shapesOn(page).filter({ hasText: "circle" }).waitFor();
    expect(await shapesOn(page).allTextContents()).toEqual(["square", "circle"]);
  });

  it("executes a tool in the page, and the agent continues with its result", async () => {
    const page = await open();
    await say(page, "zoom");
    await page.getByText("Zoom 2").waitFor();
    await page.getByText("Done.").waitFor();
  });

  it("asks before the canvas is cleared, also after it was loaded again", async () => {
    const page = await open();
    await say(page, "draw");
    await shapesOn(page).filter({ hasText: "circle" }).waitFor();
    await page.getByText("Done.").waitFor();
    await say(page, "clear");
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Approve" }).click();
    await shapesOn(page).first().waitFor({ state: "detached" });
  });

  it("keeps the canvas when the answer is no", async () => {
    const page = await open();
    await say(page, "draw");
    await shapesOn(page).filter({ hasText: "circle" }).waitFor();
    await page.getByText("Done.").waitFor();
    await say(page, "clear");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("button", { name: "Deny" }).waitFor({ state: "detached" });
    // The agent was told, and goes on: its next answer is below.
    await page.getByText("Done.").nth(1).waitFor();
    expect(await shapesOn(page).allTextContents()).toEqual(["circle"]);
    await page.reload();
    await shapesOn(page).filter({ hasText: "circle" }).waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
  });

  it("follows a run that is under way when it is loaded again", async () => {
    const page = await open();
    await say(page, "think");
    await page.getByText("Let me think.").waitFor();
    await page.reload();
    await page.getByText("Let me think.").waitFor();
  });

  it("answers a question that was asked before the server was killed", async () => {
    const page = await open();
    await say(page, "clear");
    const approve = page.getByRole("button", { name: "Approve" });
    await approve.waitFor();
    await crash();
    await page.reload();
    await approve.click();
    await page.getByText("Done.").waitFor();
  });
});
