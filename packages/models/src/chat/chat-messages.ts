import { type ContentPart, type FilePart, type Message, type ModelRequest, textOf } from "@reprise/contracts";
import { assignCallIds, type CallIds } from "../request/call-ids.ts";
import { refuse } from "../request/model-options.ts";
import { type FileReading, type ReadyFile, readFile } from "../request/read-file.ts";
import type { ToolNames } from "../request/tool-names.ts";
import { writtenArguments } from "../request/written-arguments.ts";
import type { ChatContent, ChatMessage, ChatToolCall } from "./chat-wire.ts";

/** What the messages of one request are written with. */
interface Writing {
  readonly files: FileReading;
  readonly ids: CallIds;
  readonly names: ToolNames;
}

/** Writes a conversation for chat completions. What the model thought is left out: the protocol has no place for it. */
export async function writeMessages(
  model: string,
  { system, messages, load }: ModelRequest,
  names: ToolNames,
): Promise<readonly ChatMessage[]> {
  // Only images may be addresses: the protocol has no other field for one.
  const files: FileReading = { model, load, takesUrl: (_url, mediaType) => mediaType.startsWith("image/") };
  const writing: Writing = { files, ids: assignCallIds(messages), names };
  const written: ChatMessage[] = system === "" ? [] : [{ role: "system", content: system }];
  let held: ChatMessage[] = [];
  for (const message of messages) {
    // Files of results wait until all results of a round stand together: nothing may come between those.
    if (message.role !== "tool" && held.length > 0) {
      written.push(...held);
      held = [];
    }
    if (message.role === "tool") held.push(...(await writeResult(writing, message, written)));
    else if (message.role === "assistant") written.push(...writeAssistant(writing, message));
    else written.push({ role: "user", content: await writeContent(writing, message.content) });
  }
  return [...written, ...held];
}

function writeAssistant({ ids, names }: Writing, message: Message): readonly ChatMessage[] {
  const text = textOf(message);
  const calls = (message.tool_calls ?? []).map(
    (call): ChatToolCall => ({
      id: ids.toWire(call.id),
      type: "function",
      function: { name: names.toWire(call.name), arguments: JSON.stringify(writtenArguments(call)) },
    }),
  );
  if (calls.length > 0) return [{ role: "assistant", content: text === "" ? null : text, tool_calls: calls }];
  return text === "" ? [] : [{ role: "assistant", content: text }];
}

/** Writes a result, and returns the message that shows the model its files. */
async function writeResult(
  writing: Writing,
  message: Message,
  written: ChatMessage[],
): Promise<readonly ChatMessage[]> {
  const id = writing.ids.toWire(message.tool_call_id ?? message.id);
  written.push({ role: "tool", tool_call_id: id, content: textOf(message) });
  const files = typeof message.content === "string" ? [] : message.content.filter(isFile);
  if (files.length === 0) return [];
  const shown = await Promise.all(files.map((part) => writeFile(writing, part)));
  return [{ role: "user", content: [{ type: "text", text: `Files of the result of call ${id}:` }, ...shown] }];
}

async function writeContent(writing: Writing, content: Message["content"]): Promise<string | readonly ChatContent[]> {
  if (typeof content === "string") return content;
  if (!content.some(isFile)) return textOf({ content });
  const parts = content.filter((part) => part.type !== "reasoning");
  return Promise.all(parts.map((part) => (isFile(part) ? writeFile(writing, part) : part)));
}

async function writeFile({ files }: Writing, part: FilePart): Promise<ChatContent> {
  const file = await readFile(files, part);
  const url = file.kind === "url" ? file.url : `data:${file.mediaType};base64,${file.base64}`;
  if (file.mediaType.startsWith("image/")) return { type: "image_url", image_url: { url } };
  if (file.kind === "data" && file.mediaType.startsWith("audio/")) return writeAudio(files.model, file);
  return { type: "file", file: { filename: part.filename ?? "file", file_data: url } };
}

const AUDIO_FORMATS: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/x-wav": "wav",
  "audio/wave": "wav",
  "audio/mpeg": "mp3",
  "audio/mp3": "mp3",
};

function writeAudio(model: string, { base64, mediaType }: ReadyFile & { readonly kind: "data" }): ChatContent {
  const format = AUDIO_FORMATS[mediaType];
  if (format === undefined) throw refuse(model, `it does not take files of type ${mediaType}`);
  return { type: "input_audio", input_audio: { data: base64, format } };
}

function isFile(part: ContentPart): part is FilePart {
  return part.type === "image" || part.type === "file";
}
