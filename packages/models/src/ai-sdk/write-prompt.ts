import {
  type ContentPart,
  type FilePart,
  type Message,
  type ModelRequest,
  type ToolCallRequest,
  textOf,
} from "@reprise/contracts";
import { assignCallIds, type CallIds } from "../request/call-ids.ts";
import { type FileReading, readFile } from "../request/read-file.ts";
import type { ToolNames } from "../request/tool-names.ts";
import { writtenArguments } from "../request/written-arguments.ts";
import type { AiSdkModel, ProviderFields } from "./ai-sdk-model.ts";
import { rootOf } from "./ai-sdk-model.ts";
import { writeFileData, writeResultFile } from "./file-data.ts";
import { type KeptPiece, readMetadata } from "./kept-metadata.ts";

/** A message as all versions take it; their parts differ only where files are. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly object[];
  readonly providerOptions?: ProviderFields;
}

/** A conversation as it is sent. */
export interface WrittenPrompt {
  readonly messages: readonly PromptMessage[];
  /** Where each message of ours went, by its id. */
  readonly positions: ReadonlyMap<string, number>;
}

/** What the messages of one request are written with. */
export interface PromptWriting {
  readonly model: Pick<AiSdkModel, "provider" | "specificationVersion">;
  readonly files: FileReading;
  readonly names: ToolNames;
}

interface Writing extends PromptWriting {
  readonly ids: CallIds;
}

/** Writes a conversation. The results of one round are one message, as providers want them. */
export async function writePrompt({ system, messages }: ModelRequest, using: PromptWriting): Promise<WrittenPrompt> {
  const writing: Writing = { ...using, ids: assignCallIds(messages) };
  const prompt: PromptMessage[] = system === "" ? [] : [{ role: "system", content: system }];
  const positions = new Map<string, number>();
  for (const message of messages) {
    if (message.role === "tool") addResult(prompt, await writeResult(writing, message));
    else if (message.role === "assistant") {
      const content = await writeAssistant(writing, message);
      if (content.length > 0) prompt.push({ role: "assistant", content });
    } else prompt.push({ role: "user", content: await writeParts(writing, message.content) });
    positions.set(message.id, prompt.length - 1);
  }
  return { messages: prompt, positions };
}

async function writeAssistant(writing: Writing, message: Message): Promise<readonly object[]> {
  const kept = readMetadata(message, rootOf(writing.model.provider));
  const said = kept === undefined ? writePlain(writing, message) : writeKept(writing, message, kept);
  const files = typeof message.content === "string" ? [] : message.content.filter(isFile);
  return [...said, ...(await Promise.all(files.map((part) => writeFile(writing, part))))];
}

/** What was thought is left out: no provider takes thoughts it cannot recognise. */
function writePlain(writing: Writing, message: Message): readonly object[] {
  const text = textOf(message);
  const calls = (message.tool_calls ?? []).map((call) => writeCall(writing, call, null));
  return text === "" ? calls : [{ type: "text", text }, ...calls];
}

/** The answer as the provider gave it: its thoughts, texts and calls in their order, each with the provider's own fields. */
function writeKept(writing: Writing, message: Message, kept: readonly KeptPiece[]): readonly object[] {
  const parts = typeof message.content === "string" ? [] : message.content;
  const thought = parts.map((part) => (part.type === "reasoning" ? part.text : "")).join("");
  const texts = { reasoning: thought, text: textOf(message) };
  const used = { reasoning: 0, text: 0 };
  const calls = message.tool_calls?.values();
  return kept.flatMap((piece) => {
    const [kind, length, fields] = piece;
    if (kind === "call") {
      const call = calls?.next().value;
      return call === undefined ? [] : [writeCall(writing, call, fields)];
    }
    const text = texts[kind].slice(used[kind], used[kind] + length);
    used[kind] += length;
    return [{ type: kind, text, ...(fields !== null && { providerOptions: fields }) }];
  });
}

function writeCall({ ids, names }: Writing, call: ToolCallRequest, fields: ProviderFields | null): object {
  return {
    type: "tool-call",
    toolCallId: ids.toWire(call.id),
    toolName: names.toWire(call.name),
    input: writtenArguments(call),
    ...(fields !== null && { providerOptions: fields }),
  };
}

async function writeResult(writing: Writing, message: Message): Promise<object> {
  const callId = message.tool_call_id ?? message.id;
  return {
    type: "tool-result",
    toolCallId: writing.ids.toWire(callId),
    toolName: writing.names.toWire(writing.ids.toolOf(callId) ?? String(message.metadata?.tool_name ?? "unknown")),
    output: await writeOutput(writing, message),
  };
}

async function writeOutput(writing: Writing, message: Message): Promise<object> {
  const files = typeof message.content === "string" ? [] : message.content.filter(isFile);
  if (files.length > 0) {
    const version = writing.model.specificationVersion;
    const shown = await Promise.all(
      files.map(async (part) => writeResultFile(version, await readFile(writing.files, part))),
    );
    return { type: "content", value: [{ type: "text", text: textOf(message) }, ...shown] };
  }
  const isError = message.metadata?.status === "error";
  return { type: isError ? "error-text" : "text", value: textOf(message) };
}

function addResult(prompt: PromptMessage[], result: object): void {
  const last = prompt.at(-1);
  if (last?.role === "tool")
    prompt[prompt.length - 1] = { ...last, content: [...last.content, result] as readonly object[] };
  else prompt.push({ role: "tool", content: [result] });
}

async function writeParts(writing: Writing, content: Message["content"]): Promise<readonly object[]> {
  if (typeof content === "string") return [{ type: "text", text: content }];
  const parts = content.filter((part) => part.type !== "reasoning");
  return Promise.all(
    parts.map((part) => (isFile(part) ? writeFile(writing, part) : { type: "text", text: part.text })),
  );
}

async function writeFile({ model, files }: Writing, part: FilePart): Promise<object> {
  const file = await readFile(files, part);
  return {
    type: "file",
    data: writeFileData(model.specificationVersion, file),
    mediaType: file.mediaType,
    ...(part.filename !== undefined && { filename: part.filename }),
  };
}

function isFile(part: ContentPart): part is FilePart {
  return part.type === "image" || part.type === "file";
}
