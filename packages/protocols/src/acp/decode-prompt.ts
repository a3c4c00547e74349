import type { ContentPart } from "@reprise/contracts";
import type { AcpContent, AcpResource } from "./acp-types.ts";

/** A prompt as the parts of a message. Binary content becomes `data:` URLs, which the host puts into the blob store. */
export function decodePrompt(prompt: readonly AcpContent[]): readonly ContentPart[] {
  return prompt.map(decodeBlock);
}

function decodeBlock(block: AcpContent): ContentPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text.toWellFormed() };
    case "image":
      return { type: "image", url: dataUrl(block.mimeType, block.data), media_type: block.mimeType };
    case "audio":
      return { type: "file", url: dataUrl(block.mimeType, block.data), media_type: block.mimeType };
    case "resource_link":
      return { type: "text", text: `[@${block.name}](${block.uri})`.toWellFormed() };
    case "resource":
      return decodeResource(block.resource);
    default:
      return block satisfies never;
  }
}

/** Text that the client attached stands beside its address; anything else is a file. */
function decodeResource({ uri, mimeType, text, blob }: AcpResource): ContentPart {
  if (text !== undefined) {
    const body = `<context ref=${JSON.stringify(uri)}>\n${text}\n</context>`;
    return { type: "text", text: body.toWellFormed() };
  }
  const type = mimeType ?? "application/octet-stream";
  const filename = uri.split("/").at(-1) ?? "";
  return {
    type: type.startsWith("image/") ? "image" : "file",
    url: dataUrl(type, blob ?? ""),
    media_type: type,
    ...(filename !== "" && { filename }),
  };
}

function dataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`;
}

/** The words of a prompt in one line: the title of a new session. */
export function titleOf(prompt: readonly AcpContent[]): string {
  const words = prompt.map((block) => (block.type === "text" ? block.text : "")).join(" ");
  const line = words.replaceAll(/\s+/g, " ").trim();
  return (line.length > 80 ? `${line.slice(0, 80)}…` : line).toWellFormed();
}
