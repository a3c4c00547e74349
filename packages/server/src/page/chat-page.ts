import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { PageFile } from "../host/server-host.ts";

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

/** The page to chat, for `pages` of `createServer`: plain files of this package that no build step has touched. */
export function chatPage(): readonly PageFile[] {
  const manifest = findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new Error("The package of the server has no package.json.");
  return FILES.map(([path, file]) => ({
    path,
    contentType: TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    content: readFileSync(join(dirname(manifest), "page", file), "utf8"),
  }));
}
