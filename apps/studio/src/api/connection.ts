import { Observable } from "./observable.ts";

/** Where the server is mounted. The files of the studio lie in a folder of their own below it. */
export const ROOT: string = ((here: string) => new URL("..", here).href)(import.meta.url);

/** Whether the server answers. */
export const connected: Observable<boolean> = new Observable(true);

/** Set while the server refuses requests without a valid key: gives it one. */
export const keyWanted: Observable<((key: string) => void) | undefined> = new Observable<
  ((key: string) => void) | undefined
>(undefined);

/** Answers of a proxy whose server is away, and of a server that cannot work yet. */
const AWAY: ReadonlySet<number> = new Set([502, 503, 504]);
const LONGEST_PAUSE_MS = 3000;
const KEY = "reprise.key";

/** Requests that nobody answered yet. */
const unanswered = new Set<object>();

/** A request that the server refused, in the server's words. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly status: number;
  /** A code of the error catalogue, where the error has one. */
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Sends a request until somebody answers, so a restart of the server needs no case of its own anywhere else. Requests have to be safe
 * to repeat: every POST has an idempotency key.
 */
export async function send(input: Request | string, init?: RequestInit): Promise<Response> {
  const request = new Request(input instanceof Request ? input : new URL(input, ROOT), init);
  if (request.method === "POST" && !request.headers.has("idempotency-key"))
    request.headers.set("idempotency-key", randomId());
  for (let failures = 0; ; failures += 1) {
    const response = await sendOnce(request);
    if (response !== undefined && !AWAY.has(response.status)) {
      answered(request);
      if (response.status !== 401) return response;
      await askForKey();
      failures = -1;
      continue;
    }
    await pause(request, failures);
  }
}

/** Sends a request, and throws what the server says when it refuses it. */
export async function ask(path: string, init: RequestInit & { readonly json?: unknown } = {}): Promise<Response> {
  const { json, ...rest } = init;
  const headers = new Headers(rest.headers);
  if (json !== undefined) headers.set("content-type", "application/json");
  const body = json === undefined ? {} : { body: JSON.stringify(json), method: rest.method ?? "POST" };
  const response = await send(path, { ...rest, ...body, headers });
  if (!response.ok) throw await readError(response);
  return response;
}

/** The error of a refused request. */
export async function readError(response: Response): Promise<ServerError> {
  const body: unknown = await response.json().catch(() => undefined);
  const said = typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
  const message = typeof said === "string" ? said : `The server answered ${response.status}.`;
  return new ServerError(response.status, message, response.headers.get("x-reprise-error") ?? undefined);
}

async function sendOnce(request: Request): Promise<Response | undefined> {
  const key = sessionStorage.getItem(KEY);
  const copy = request.clone();
  if (key !== null) copy.headers.set("authorization", `Bearer ${key}`);
  try {
    return await fetch(copy);
  } catch (error) {
    if (request.signal.aborted) throw error;
    return undefined;
  }
}

function answered(request: Request): void {
  unanswered.delete(request);
  if (unanswered.size === 0) connected.set(true);
}

/** Waits before a request is sent again: longer every time, and no longer when the browser is online again. */
function pause(request: Request, failures: number): Promise<void> {
  const { signal } = request;
  unanswered.add(request);
  connected.set(false);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, Math.min(125 * 2 ** failures, LONGEST_PAUSE_MS));
    addEventListener("online", end);
    signal.addEventListener("abort", end);
    function end(): void {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal.removeEventListener("abort", end);
      if (!signal.aborted) return resolve();
      answered(request);
      reject(signal.reason);
    }
  });
}

/** Requests that are refused at the same time wait for the same key. */
let asking: Promise<void> | undefined;

function askForKey(): Promise<void> {
  asking ??= new Promise<void>((resolve) => {
    keyWanted.set((key) => {
      sessionStorage.setItem(KEY, key);
      keyWanted.set(undefined);
      asking = undefined;
      resolve();
    });
  });
  return asking;
}

/** `crypto.randomUUID` exists on secure pages only, and a server in the local network is none. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
