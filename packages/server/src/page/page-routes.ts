import type { Route } from "../host/route.ts";
import type { PageFile } from "../host/server-host.ts";
import { digest } from "../security/digest.ts";

/** A page may load scripts and styles of this server and send requests to it. Inline code, other origins and their frames are refused. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * A frame for pages of others: they have no origin, so nothing of this server is theirs, and they may load and send nothing. Only pages
 * of this server show the frame, and their policy keeps it from going elsewhere.
 */
const FRAME_POLICY = [
  "sandbox allow-scripts",
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "media-src data: blob:",
  "font-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** Routes for files that need no credential: the page requests its data with the credential of its user. */
export function pageRoutes(files: readonly PageFile[]): readonly Route[] {
  return files.map(({ path, contentType, content, isImmutable = false, isFrame = false }) => {
    const etag = digest(content).then((hash) => `"${hash.slice(0, 32)}"`);
    return {
      method: "GET",
      path,
      scope: "public",
      operation: {
        summary: `Answers with ${path === "/" ? "the page" : path}`,
        answers: { 200: { description: "The file", contentType }, 304: { description: "The client has this version" } },
      },
      async handle({ context, headers }) {
        // Pages name their files by relative addresses, which a slash at the end would change.
        const { pathname } = new URL(context.req.url);
        if (path !== "/" && pathname.endsWith("/")) {
          const location = `../${pathname.split("/").at(-2)}`;
          return new Response(null, { status: 308, headers: { ...headers, location } });
        }
        const own = {
          ...headers,
          etag: await etag,
          "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
          "content-security-policy": isFrame ? FRAME_POLICY : PAGE_POLICY,
          ...(isFrame && { "x-frame-options": "SAMEORIGIN" }),
          "cross-origin-opener-policy": "same-origin",
        };
        const isKnown = context.req.header("if-none-match") === own.etag;
        if (isKnown) return new Response(null, { status: 304, headers: own });
        return new Response(content, { headers: { ...own, "content-type": contentType } });
      },
    } satisfies Route;
  });
}
