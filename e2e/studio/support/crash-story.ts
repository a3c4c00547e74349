import type { Page } from "playwright-core";
import { call, say, untilIdle } from "./chat-page.ts";

/** What a part of the story shows. */
export type Scene = "chat" | "approval" | "killed" | "restarted" | "continues";

export interface CrashStory {
  /** On a new thread. */
  readonly page: Page;
  /** Ends the server with `kill -9`. */
  kill(): Promise<void>;
  /** Starts a server on the same port and store. */
  restart(): Promise<void>;
  /** Called when a scene is complete. */
  onScene?(scene: Scene): Promise<void>;
}

/**
 * The story of the README's picture: a person chats, a tool call needs approval, the server is killed, another one is started, the
 * person approves, and the run continues. A test plays it and a script records it, so the picture shows what is tested.
 */
export async function playCrashStory({
  page,
  kill,
  restart,
  onScene = async () => undefined,
}: CrashStory): Promise<void> {
  await say(page, "what is 12 * 7");
  await page.getByText("12 * 7 = 84").waitFor();
  await untilIdle(page);
  await onScene("chat");
  await say(page, "send a mail to ann@example.com saying lunch is ready");
  const approve = call(page, "sendEmail").getByRole("button", { name: "Approve" });
  await approve.waitFor();
  await onScene("approval");
  await kill();
  const reconnecting = page.getByText("Reconnecting…");
  await reconnecting.waitFor();
  await onScene("killed");
  await restart();
  await reconnecting.waitFor({ state: "hidden" });
  await onScene("restarted");
  await approve.click();
  await page.getByText("You agreed to the mail to ann@example.com.").waitFor();
  await untilIdle(page);
  await onScene("continues");
}
