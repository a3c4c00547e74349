import type { Route } from "../host/route.ts";
import type { PageFile } from "../host/server-host.ts";
import { digest } from "../security/digest.ts";

/** A page may load scripts and styles of this server and send requests to it. Inline code, other origins and frames are refused. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Routes for files that need no credential: the page requests its data with the credential of its user. */
export function pageRoutes(files: readonly PageFile[]): readonly Route[] {
  return files.map(({ path, contentType, content }) => {
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
        const own = {
          ...headers,
          etag: await etag,
          "cache-control": "no-cache",
          "content-security-policy": PAGE_POLICY,
          "cross-origin-opener-policy": "same-origin",
        };
        const isKnown = context.req.header("if-none-match") === own.etag;
        if (isKnown) return new Response(null, { status: 304, headers: own });
        return new Response(content, { headers: { ...own, "content-type": contentType } });
      },
    } satisfies Route;
  });
}
