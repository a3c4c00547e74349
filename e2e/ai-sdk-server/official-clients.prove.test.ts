import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer } from "../../packages/stores/test/postgres/start-server.ts";
import { describeWithService } from "../../test/support/describe-with-service.ts";
import type { Client, ClientMessage } from "../ai-sdk-codec/support/client.ts";
import { comparable } from "../ai-sdk-codec/support/comparable-parts.ts";
import { loadClients } from "../ai-sdk-codec/support/load-clients.ts";
import { openPage, type Page } from "../ai-sdk-codec/support/open-page.ts";
import { cutAfter } from "./support/cut-after.ts";
import { type ChatServer, startChat } from "./support/start-chat.ts";

const clients = await loadClients();

const textOf = (message: ClientMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === "text" ? String(part.text) : "")).join("");

const questionsIn = (message: ClientMessage | undefined): readonly string[] =>
  (message?.parts ?? []).flatMap(({ state, approval }) =>
    state === "approval-requested" ? [(approval as { readonly id: string }).id] : [],
  );

/** A chat of its own on the server, and what the server keeps of it. */
function openChat(server: ChatServer, client: Client, id: string = randomUUID(), shown?: readonly ClientMessage[]) {
  const api = `${server.url}/v1/ai-sdk/agents/assistant/runs`;
  const page = (answer: typeof fetch = fetch): Page => openPage(client, answer, shown, { id, api });
  const history = async (): Promise<readonly ClientMessage[]> =>
    (await (await fetch(`${server.url}/v1/ai-sdk/threads/${id}/messages`)).json()).messages;
  const agree = async ({ chat, errors }: Page): Promise<void> => {
    expect(errors).toEqual([]);
    const stored = await history();
    await client.validateUIMessages({ messages: stored });
    expect(chat.messages.map(comparable)).toEqual(stored.map(comparable));
  };
  return { id, page, history, agree };
}

/** What every client does, wherever the threads live. */
function describeChats(open: () => Promise<ChatServer>): void {
  let server: ChatServer;
  beforeAll(async () => {
    server = await open();
  });
  afterAll(async () => {
    await server?.stop();
  });

  describe.each(clients)("the chat of $name", (client) => {
    it("says something, has a tool called, and is told the rest", async () => {
      const chat = openChat(server, client);
      const page = chat.page();
      await page.chat.sendMessage({ text: "weather in Oslo" });
      await page.ready();
      const [step, last] = comparable(page.chat.messages[1]).steps;
      expect(step?.tools).toMatchObject([{ state: "output-available", data: { city: "Oslo", sky: "clear" } }]);
      expect(last?.text).toBe("That is settled.");
      await chat.agree(page);
    });

    it("is asked twice, approves one, denies the other, and continues in the same message", async () => {
      const chat = openChat(server, client);
      const page = chat.page();
      await page.chat.sendMessage({ text: "pay Ada and Bob" });
      await page.ready();
      const before = page.chat.messages.at(-1);
      const [ada = "", bob = ""] = questionsIn(before);
      await chat.agree(page);
      await page.chat.addToolApprovalResponse({ id: ada, approved: true });
      await page.chat.addToolApprovalResponse({ id: bob, approved: false, reason: "Not him." });
      await page.ready();
      expect(page.chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
      expect(page.chat.messages[1]?.id).toBe(before?.id);
      const { steps } = comparable(page.chat.messages[1]);
      expect(steps[0]?.tools).toMatchObject([
        { state: "output-available", data: { sent: 5, to: "Ada" } },
        { state: "output-denied" },
      ]);
      expect(steps[1]?.text).toBe("That is settled.");
      await chat.agree(page);
    });

    it("decides on a page that was loaded anew", async () => {
      const first = openChat(server, client);
      const left = first.page();
      await left.chat.sendMessage({ text: "pay Ada" });
      await left.ready();
      const second = openChat(server, client, first.id, await first.history());
      const page = second.page();
      for (const id of questionsIn(page.chat.messages.at(-1))) {
        await page.chat.addToolApprovalResponse({ id, approved: true });
      }
      await page.ready();
      expect(textOf(page.chat.messages.at(-1))).toContain("That is settled.");
      await second.agree(page);
    });

    it("asks for another answer by id, also to an earlier question", async () => {
      const chat = openChat(server, client);
      const page = chat.page();
      for (const text of ["one", "two"]) {
        await page.chat.sendMessage({ text });
        await page.ready();
      }
      const [, first, , second] = page.chat.messages;
      await page.chat.regenerate({ messageId: second?.id ?? "" });
      await page.ready();
      const third = page.chat.messages.at(-1);
      expect(page.chat.messages.length).toBe(4);
      expect(textOf(third)).toContain("You said: two");
      expect([third?.id, textOf(third)]).not.toEqual([second?.id, textOf(second)]);
      await chat.agree(page);

      await page.chat.regenerate({ messageId: first?.id ?? "" });
      await page.ready();
      expect(page.chat.messages.length).toBe(2);
      expect(textOf(page.chat.messages[1])).toContain("You said: one");
      await chat.agree(page);
    });

    it("says something in another way, and what followed is gone", async () => {
      const chat = openChat(server, client);
      const page = chat.page();
      for (const text of ["one", "two"]) {
        await page.chat.sendMessage({ text });
        await page.ready();
      }
      await page.chat.sendMessage({ text: "other", messageId: page.chat.messages[0]?.id ?? "" });
      await page.ready();
      expect(page.chat.messages.map(textOf)).toEqual(["other", expect.stringContaining("You said: other")]);
      await chat.agree(page);
    });

    it("loses its connection in the middle, and comes back to the whole message", async () => {
      const chat = openChat(server, client);
      const page = chat.page(cutAfter("two "));
      await page.chat.sendMessage({ text: `hold ${chat.id}` });
      await page.ready();
      expect(page.errors.length).toBe(1);
      expect(textOf(page.chat.messages.at(-1))).not.toContain("three");
      const back = openChat(server, client, chat.id, page.chat.messages);
      const again = back.page();
      const resumed = again.chat.resumeStream();
      await expect.poll(() => again.chat.status).toBe("streaming");
      await server.release(chat.id);
      await resumed;
      await again.ready();
      expect(textOf(again.chat.messages.at(-1))).toBe("One two three four.");
      expect(again.chat.messages.length).toBe(2);
      await back.agree(again);
      // Nothing is under way any more: the page stays as it is.
      await again.chat.resumeStream();
      await again.ready();
      await back.agree(again);
    });

    it("stops: reads no further at once, and the run ends when it is told to", async () => {
      const chat = openChat(server, client);
      const page = chat.page();
      const sent = page.chat.sendMessage({ text: "stall" });
      await expect.poll(() => textOf(page.chat.messages.at(-1))).toBe("Wait ");
      await page.chat.stop();
      await sent;
      await page.ready();
      const info = page.chat.messages.at(-1)?.parts.find(({ type }) => type === "data-run-info");
      const { runId } = (info?.data ?? {}) as { readonly runId?: string };
      const run = `${server.url}/v1/runs/${runId}`;
      expect((await (await fetch(run)).json()).status).toBe("running");
      expect((await fetch(`${run}/cancel`, { method: "POST" })).status).toBe(202);
      await expect.poll(async () => (await (await fetch(run)).json()).termination_code).toBe("cancelled");
      await page.chat.sendMessage({ text: "hello" });
      await page.ready();
      expect(page.errors).toEqual([]);
      expect(textOf(page.chat.messages.at(-1))).toContain("You said: hello");
    });
  });
}

describe("on SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-chat-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  describeChats(() => startChat(join(folder, "chat.db")));
});

describeWithService("postgres", "on Postgres", (postgres) => {
  const databases: { stop(): Promise<void> }[] = [];
  afterAll(async () => {
    for (const database of databases) await database.stop();
  });
  describeChats(async () => {
    const database = await startServer(postgres);
    databases.push(database);
    return startChat(database.url);
  });
});
