import type { PageFile } from "@reprise/server";
import { readPackageFile } from "../package-file.ts";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

const FILES = [
  ["/", "index.html"],
  ["/page/style.css", "style.css"],
  ["/page/icon.svg", "icon.svg"],
  ["/page/main.js", "main.js"],
  ["/page/server.js", "server.js"],
  ["/page/stream.js", "stream.js"],
  ["/page/chat.js", "chat.js"],
  ["/page/conversation.js", "conversation.js"],
  ["/page/tool-call.js", "tool-call.js"],
  ["/page/past.js", "past.js"],
  ["/page/threads.js", "threads.js"],
  ["/page/elements.js", "elements.js"],
] as const;

/** The page at `/`, as it lies beside the code: plain files that no build step has touched. */
export function readPageFiles(): readonly PageFile[] {
  return FILES.map(([path, file]) => ({
    path,
    contentType: TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    content: readPackageFile(`page/${file}`),
  }));
}
