import { HttpRefusal } from "../http/http-refusal.ts";

/** Names under which a server on this machine is always reached. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Refuses a request for another host than ours. A foreign page can give its own name our address (DNS rebinding):
 * then its requests come here as its own, and only the name tells. `target` is the request line's, where the platform tells it.
 */
export function checkHost(request: Request, allowed: readonly string[], target = ""): void {
  assertAllowed(request.headers.get("host") ?? new URL(request.url).host, allowed);
  // A request line may hold a whole address, which then counts instead of the header.
  if (ABSOLUTE.test(target)) assertAllowed(hostOf(target), allowed);
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i;

function hostOf(target: string): string {
  try {
    return new URL(target).host;
  } catch {
    return target;
  }
}

function assertAllowed(host: string, allowed: readonly string[]): void {
  const name = nameOf(host);
  if (name !== undefined && allowed.some((candidate) => candidate === name || candidate === host.toLowerCase())) return;
  throw new HttpRefusal(403, `forbidden: host not allowed: ${host.slice(0, 100)}`);
}

/** The name without the port; undefined for what is no host at all. */
function nameOf(host: string): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^\s:/@\\?#[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
}
