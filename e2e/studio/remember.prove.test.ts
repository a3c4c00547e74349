import { chromium } from "playwright-core";
import { createRuntime, defineAgent, defineTool, memory, scriptedModel } from "reprise";
import { permission } from "reprise/plugins/permission";
import { createServer } from "reprise/server";
import { listen, studio } from "reprise/server/node";
import { expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import { call, openChatPage, say, untilIdle } from "./support/chat-page.ts";

describeWithService("chromium", "a question of the permission plugin on the page", ({ binary }) => {
  it("is answered for the thread, and later calls run without asking", async () => {
    const ran: string[] = [];
    const write = defineTool({ id: "write", description: "Writes.", execute: () => void ran.push("write") });
    const model = scriptedModel(({ messages }) =>
      messages.at(-1)?.role === "user" ? [{ call: "write" }] : "Written.",
    );
    const agent = defineAgent({ id: "writer", model, tools: [write], plugins: [permission()] });
    const runtime = await createRuntime({ agents: [agent], store: memory() });
    const server = createServer({ runtime, pages: studio() });
    const { url, close } = await listen(server, { port: 0 });
    const browser = await chromium.launch({ executablePath: binary, args: ["--no-sandbox"] });
    onTestFinished(async () => {
      await browser.close();
      await close();
      await runtime.close();
    });
    const page = await openChatPage(browser, url);
    await say(page, "write");
    const question = call(page, "write");
    await question.getByText("Permission required to run tool 'write'").waitFor();
    const allow = question.getByRole("button", { name: "Allow in this thread" });
    expect(await allow.getAttribute("title")).toBe("Later calls of write run without asking.");
    expect(ran).toEqual([]);
    await allow.click();
    await page.getByText("Written.").waitFor();
    await untilIdle(page);
    await say(page, "write again");
    await page.getByText("Written.").nth(1).waitFor();
    expect(ran).toEqual(["write", "write"]);
  });
});
