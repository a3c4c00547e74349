import { HttpRefusal } from "../http/http-refusal.ts";

/**
 * Refuses a page from elsewhere: only our own pages and listed origins may ask, whatever the method. Programs that are no
 * browser send no origin. Answers the origin when it is a listed one, which may then read the answer.
 */
export function checkOrigin(request: Request, allowed: readonly string[]): string | undefined {
  const origin = request.headers.get("origin");
  if (origin === null) return undefined;
  if (allowed.includes(origin)) return origin;
  const host = request.headers.get("host") ?? new URL(request.url).host;
  // A proxy in front may speak https where we speak http: the host says whether the page is ours.
  if (origin === `http://${host}` || origin === `https://${host}`) return undefined;
  throw new HttpRefusal(403, `forbidden: origin not allowed: ${origin.slice(0, 100)}`);
}
