import { HttpRefusal } from "../http/http-refusal.ts";

/** Names under which a server on this machine is always reached. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Refuses a request for another host than ours. A page of somebody else's can give its own name our address (DNS rebinding):
 * then its requests come here as its own, and only the name tells.
 */
export function checkHost(request: Request, allowed: readonly string[]): void {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  const name = nameOf(host);
  if (name !== undefined && allowed.some((candidate) => candidate === name || candidate === host.toLowerCase())) return;
  throw new HttpRefusal(403, `forbidden: host not allowed: ${host.slice(0, 100)}`);
}

/** The name without the port; undefined for what is no host at all. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^\s:/@\\?#[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
}
