import type { HttpExchange } from "./route.ts";

/** The address of this server as the client reached it, under whatever path its routes are mounted; without a slash at its end. */
export function serverUrl({ context, host }: Pick<HttpExchange, "context" | "host">): string {
  const { origin, pathname } = new URL(context.req.url);
  const [start] = ["/v1/", "/.well-known/"].map((path) => pathname.indexOf(path)).filter((index) => index >= 0);
  return host.publicUrl ?? origin + pathname.slice(0, start ?? 0);
}
