import type { ReadyFile } from "../request/read-file.ts";
import type { SpecVersion, WrittenFileData } from "./ai-sdk-model.ts";

/** A file as a version takes it in a message. */
export function writeFileData(version: SpecVersion, file: ReadyFile): unknown {
  if (version === "v4") {
    return file.kind === "url" ? { type: "url", url: new URL(file.url) } : { type: "data", data: file.base64 };
  }
  return file.kind === "url" ? new URL(file.url) : file.base64;
}

/** A file in the result of a tool as a version takes it. */
export function writeResultFile(version: SpecVersion, file: ReadyFile): unknown {
  const { mediaType } = file;
  if (version === "v4") return { type: "file", data: writeFileData(version, file), mediaType };
  if (file.kind === "url") return { type: "text", text: file.url };
  if (version === "v2") return { type: "media", data: file.base64, mediaType };
  return { type: mediaType.startsWith("image/") ? "image-data" : "file-data", data: file.base64, mediaType };
}

/** The URL of a file a model made. */
export function readFileUrl(mediaType: string, data: WrittenFileData): string {
  if (typeof data === "object" && "type" in data) {
    return data.type === "url" ? data.url.href : toDataUrl(mediaType, data.data);
  }
  return toDataUrl(mediaType, data);
}

function toDataUrl(mediaType: string, data: string | Uint8Array): string {
  const base64 = typeof data === "string" ? data : Buffer.from(data).toString("base64");
  return `data:${mediaType};base64,${base64}`;
}
