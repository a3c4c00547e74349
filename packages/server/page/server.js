import { byId } from "./elements.js";
import { readFrames } from "./stream.js";

/** @typedef {import("./stream.js").Frame} Frame */

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

/**
 * Asks the server. When it wants a key, the user is asked for one, and the server again.
 *
 * @param {string} path
 * @param {{ body?: object, lastEventId?: string | undefined, signal?: AbortSignal | undefined }} [options]
 * @returns {Promise<Response>}
 */
export async function ask(path, options = {}) {
  for (;;) {
    const response = await send(path, options);
    if (response.ok) return response;
    const message = await readError(response);
    if (response.status !== 401 || !(await askForKey())) throw new ServerError(message, response.status);
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

const ATTEMPTS = 6;

/**
 * The events of a run until it waits or is done. Whoever is cut off before that comes back after the last event they saw.
 *
 * @param {Response} first the stream as it was opened
 * @param {string} path where it can be read on
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Frame>}
 */
export async function* readRun(first, path, signal) {
  let response = first;
  /** @type {string | undefined} */
  let last;
  for (let attempt = 1; response.status !== 204; attempt++) {
    try {
      for await (const frame of readFrames(response)) {
        attempt = 1;
        if (frame.id !== undefined) last = frame.id;
        yield frame;
        if (frame.event.type === "run_finish") return;
      }
    } catch (error) {
      if (signal.aborted || attempt >= ATTEMPTS) throw error;
    }
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
    response = await ask(path, { lastEventId: last, signal });
  }
}

/**
 * @param {string} path
 * @param {{ body?: object, lastEventId?: string | undefined, signal?: AbortSignal | undefined }} options
 */
async function send(path, { body, lastEventId, signal }) {
  const key = sessionStorage.getItem(KEY);
  const headers = new Headers();
  if (body !== undefined) headers.set("content-type", "application/json");
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
  if (key !== null) headers.set("authorization", `Bearer ${key}`);
  const init = { method: body === undefined ? "GET" : "POST", headers, signal: signal ?? null };
  try {
    return await fetch(path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ServerError("The server does not answer. Is it still running?", 0);
  }
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
