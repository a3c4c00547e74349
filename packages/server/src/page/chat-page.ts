import { readdirSync, readFileSync } from "node:fs";
// Not by name: a Node that is too old has no such export, and would say that instead of which Node is needed.
import nodeModule from "node:module";
import { dirname, join } from "node:path";
import type { PageFile } from "../host/server-host.ts";

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/**
 * The page to chat, for `pages` of `createServer`: plain files of this package, without a build step. They refer to each other and to the
 * API by relative addresses, so the page works wherever the server is mounted.
 */
export function chatPage(): readonly PageFile[] {
  const manifest = nodeModule.findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new Error("The package of the server has no package.json.");
  const folder = join(dirname(manifest), "page");
  return readdirSync(folder).map((file) => ({
    path: file === "index.html" ? "/" : `/page/${file}`,
    contentType: TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    content: readFileSync(join(folder, file), "utf8"),
  }));
}
