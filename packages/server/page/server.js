import { byId } from "./elements.js";
import { readFrames } from "./stream.js";

/** @typedef {import("./stream.js").Frame} Frame */

/**
 * @typedef {object} AskOptions
 * @property {object} [body] sent as JSON with POST
 * @property {string | undefined} [lastEventId]
 * @property {AbortSignal | undefined} [signal]
 * @property {string} [repeatKey] makes a request that is sent twice count once
 * @property {number} [failures] how often the same was tried in vain: then the first request waits
 */

/** The page lies in a folder of its own below the server's root, wherever that is mounted. */
const ROOT = new URL("..", import.meta.url);

const KEY = "reprise-key";

/** What the server said was wrong, in its own words. */
export class ServerError extends Error {
  /**
   * @param {string} message
   * @param {number} status
   */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** The requests that the server does not answer now. Each is sent again until it does. */
const unanswered = new Set();

/** @type {(isConnected: boolean) => void} */
let tellConnection = () => undefined;

/**
 * Sets who is told when the server stops answering and when it answers again.
 *
 * @param {(isConnected: boolean) => void} listener
 */
export function onConnection(listener) {
  tellConnection = listener;
}

/**
 * Asks the server. When it wants a key, the user is asked for one. When it cannot be reached, it is asked again until it can, so a
 * request must be safe to repeat: runs are started under a `repeatKey`, decisions have an id, and everything else is idempotent.
 *
 * @param {string} path
 * @param {AskOptions} [options]
 * @returns {Promise<Response>}
 */
export async function ask(path, options = {}) {
  const request = { path, ...options };
  let { failures = 0 } = options;
  try {
    for (;;) {
      if (failures > 0) await pause(request, failures);
      const response = await send(request);
      if (response?.ok) return response;
      if (response === undefined || AWAY.has(response.status)) {
        failures += 1;
        continue;
      }
      const message = await readError(response);
      if (response.status !== 401 || !(await askForKey())) throw new ServerError(message, response.status);
    }
  } finally {
    if (unanswered.delete(request) && unanswered.size === 0) tellConnection(true);
  }
}

/**
 * What the server answers, in a shape of its API.
 *
 * @template Answer
 * @param {string} path
 * @param {object} [body] sent as JSON when it is there
 * @returns {Promise<Answer>}
 */
export async function askJson(path, body) {
  const response = await ask(path, body === undefined ? {} : { body });
  return response.json();
}

/**
 * The events of a run until it is done, also while it waits for decisions. A reader that is cut off comes back after the last event it
 * saw, for as long as it takes.
 *
 * @param {Response} first the stream as it was opened
 * @param {string} runId
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Frame>}
 */
export async function* readRun(first, runId, signal) {
  /** @type {string | undefined} */
  let lastEventId;
  let response = first;
  for (let failures = 0; response.status !== 204; ) {
    try {
      for await (const frame of readFrames(response)) {
        failures = 0;
        if (frame.id !== undefined) lastEventId = frame.id;
        yield frame;
        if (frame.event.type === "run_finish" && frame.event.data.termination.type !== "suspended") return;
      }
      // A run that was called off before it began has no events.
      if (lastEventId === undefined && (await isDone(runId))) return;
    } catch (error) {
      if (signal.aborted || !isCutOff(error)) throw error;
      failures += 1;
    }
    if (signal.aborted) return;
    response = await openEvents(runId, { lastEventId, signal, failures });
  }
}

/**
 * @param {string} runId
 * @param {AskOptions} options
 */
export function openEvents(runId, options) {
  return ask(`v1/runs/${encodeURIComponent(runId)}/events?follow=true`, options);
}

/** @param {string} runId */
async function isDone(runId) {
  const { status } = await askJson(`v1/runs/${encodeURIComponent(runId)}`);
  return status === "done";
}

/** A body that breaks off is a TypeError; everything else is a mistake of the server's or ours. @param {unknown} error */
function isCutOff(error) {
  return error instanceof TypeError || (error instanceof DOMException && error.name === "NetworkError");
}

/** Answers of a proxy whose server is away, and of a server that cannot work yet. */
const AWAY = new Set([502, 503, 504]);

const LONGEST_PAUSE_MS = 3000;

/**
 * Waits before a request is sent again: longer every time, and no longer when the browser is online again.
 *
 * @param {{ signal?: AbortSignal | undefined }} request
 * @param {number} failures
 * @returns {Promise<void>}
 */
function pause(request, failures) {
  const { signal } = request;
  if (unanswered.size === 0) tellConnection(false);
  unanswered.add(request);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, Math.min(125 * 2 ** failures, LONGEST_PAUSE_MS));
    addEventListener("online", end);
    signal?.addEventListener("abort", end);
    function end() {
      clearTimeout(timer);
      removeEventListener("online", end);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
  });
}

/**
 * Sends a request once; undefined when nobody answers.
 *
 * @param {AskOptions & { path: string }} request
 * @returns {Promise<Response | undefined>}
 */
async function send({ path, body, lastEventId, signal, repeatKey }) {
  const key = sessionStorage.getItem(KEY);
  const headers = new Headers();
  if (body !== undefined) headers.set("content-type", "application/json");
  if (repeatKey !== undefined) headers.set("idempotency-key", repeatKey);
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
  if (key !== null) headers.set("authorization", `Bearer ${key}`);
  const init = { method: body === undefined ? "GET" : "POST", headers, signal: signal ?? null };
  try {
    return await fetch(new URL(path, ROOT), body === undefined ? init : { ...init, body: JSON.stringify(body) });
  } catch (error) {
    if (signal?.aborted) throw error;
    return undefined;
  }
}

/** `crypto.randomUUID` exists on secure pages only, and a server in the local network is none. */
export function randomId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {Response} response */
async function readError(response) {
  try {
    const { error } = await response.json();
    return typeof error === "string" ? error : `The server answered ${response.status}.`;
  } catch {
    return `The server answered ${response.status}.`;
  }
}

/** @returns {Promise<boolean>} whether a key was given */
function askForKey() {
  const dialog = byId("key-dialog", HTMLDialogElement);
  const field = byId("key", HTMLInputElement);
  field.value = "";
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        const key = field.value.trim();
        if (key !== "") sessionStorage.setItem(KEY, key);
        resolve(key !== "");
      },
      { once: true },
    );
    if (!dialog.open) dialog.showModal();
  });
}
