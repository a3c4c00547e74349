import { existsSync, readdirSync, readFileSync } from "node:fs";
// Not by name: a Node that is too old has no such export, and would say that instead of which Node is needed.
import nodeModule from "node:module";
import { dirname, join } from "node:path";
import { RepriseError } from "@reprise/contracts";
import type { PageFile } from "../host/server-host.ts";

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** The addresses of the studio's screens. Each shows the same page, which reads its address. */
const SCREENS = [
  "/",
  "/threads/:id",
  "/inbox",
  "/inbox/:call",
  "/runs",
  "/runs/:id",
  "/compare/:a/:b",
  "/agents",
  "/agents/:id",
  "/workflows",
  "/workflows/:id",
  "/workflow-runs/:id",
  "/evals",
  "/evals/:id",
  "/evals/:before/compare/:after",
  "/ops",
  "/ops/:part",
];

/**
 * The studio, for `pages` of `createServer`: static files that come with this package. They refer to each other and to the API by
 * relative addresses, so the studio works wherever the server is mounted.
 */
export function studio(): readonly PageFile[] {
  const manifest = nodeModule.findPackageJSON(import.meta.url);
  if (manifest === undefined) throw new Error("The package of the server has no package.json.");
  const folder = join(dirname(manifest), "studio");
  if (!existsSync(join(folder, "index.html"))) {
    const message =
      "The studio is not built. In a clone of the repository `npm run build` builds it, and `npm start` does too.";
    throw new RepriseError("INVALID_REQUEST", message, { details: { folder } });
  }
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const screens = SCREENS.map((path) => ({
    path,
    contentType: "text/html; charset=utf-8",
    content: page.replaceAll('="./', `="${wayUp(path)}`),
  }));
  const frame: PageFile = {
    path: "/frame",
    contentType: "text/html; charset=utf-8",
    content: readFileSync(join(folder, "frame.html"), "utf8"),
    isFrame: true,
  };
  const assets = readdirSync(join(folder, "assets")).map((file) => ({
    path: `/assets/${file}`,
    contentType: TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    content: readFileSync(join(folder, "assets", file), "utf8"),
    isImmutable: true,
  }));
  return [...screens, frame, ...assets];
}

/** From a screen to the folder that the server is mounted at. */
function wayUp(path: string): string {
  return "../".repeat(path.split("/").length - 2) || "./";
}
