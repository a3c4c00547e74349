import { type Message, textOf } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { EXIT_CODES, type ExitCode } from "../output/exit-code.ts";
import { shortText } from "../output/plain-text.ts";
import { table } from "../output/table.ts";
import { wholeNumber } from "../settings/read-values.ts";
import { type CommandInput, textOption } from "./command.ts";
import { withApp } from "./with-app.ts";

const ROOM = 60;

export function listThreads(input: CommandInput): Promise<ExitCode> {
  const limit = wholeNumber("--limit", textOption(input, "limit")) ?? 20;
  return withApp(input, async ({ runtime }) => {
    const page = await runtime.threads.list({ limit });
    const titles = await Promise.all(page.items.map(({ thread_id }) => titleOf(runtime, thread_id)));
    const rows = page.items.map(({ thread_id, version, updated_at }, index) => [
      thread_id,
      String(version),
      timeOf(updated_at),
      titles[index] ?? "",
    ]);
    input.output.answer({ items: page.items, total: page.total, has_more: page.has_more }, () =>
      rows.length === 0 ? "No threads yet." : table(["thread", "version", "changed", "begins with"], rows),
    );
    return EXIT_CODES.ok;
  });
}

export function showThread(input: CommandInput): Promise<ExitCode> {
  const [threadId = ""] = input.arguments;
  return withApp(input, async ({ runtime }) => {
    const thread = await runtime.threads.get(threadId);
    const [messages, state] = await Promise.all([allMessages(runtime, threadId), runtime.threads.state(threadId)]);
    input.output.answer({ thread, messages, state }, () =>
      [
        `thread ${thread.thread_id}, version ${thread.version}, changed ${timeOf(thread.updated_at)}`,
        ...messages.map(describeMessage),
        ...describeState(state),
      ].join("\n"),
    );
    return EXIT_CODES.ok;
  });
}

export function deleteThread(input: CommandInput): Promise<ExitCode> {
  const [threadId = ""] = input.arguments;
  return withApp(input, async ({ runtime }) => {
    // Deleting what is not there is a typing error, and is said.
    await runtime.threads.get(threadId);
    await runtime.threads.delete(threadId);
    input.output.answer({ deleted: threadId }, () => `Thread ${threadId} is deleted.`);
    return EXIT_CODES.ok;
  });
}

async function titleOf(runtime: TenantRuntime, threadId: string): Promise<string> {
  const { messages } = await runtime.threads.messages(threadId, { limit: 1 });
  return messages[0] === undefined ? "" : shortText(textOf(messages[0]), ROOM);
}

async function allMessages(runtime: TenantRuntime, threadId: string): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (let after: number | undefined; ; ) {
    const page = await runtime.threads.messages(threadId, { limit: 200, ...(after !== undefined && { after }) });
    all.push(...page.messages);
    if (!page.has_more || page.next_cursor === undefined) return all;
    after = page.next_cursor;
  }
}

/** The application's state; what the runtime keeps beside it (`__run` and the like) is for programs. */
function describeState(state: Json): readonly string[] {
  if (typeof state !== "object" || state === null) return [];
  const own = Object.entries(state).filter(([key]) => !key.startsWith("__"));
  return own.length === 0 ? [] : ["state", ...own.map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)];
}

function describeMessage(message: Message): string {
  const calls = (message.tool_calls ?? []).map(({ name, arguments: input }) => `→ ${name} ${JSON.stringify(input)}`);
  return [`${message.role}: ${textOf(message)}`, ...calls].join("\n  ");
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("T", " ").slice(0, 19);
}
