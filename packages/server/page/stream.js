/**
 * An event of a run, as the server's canonical stream has it.
 *
 * @typedef {import("@reprise/contracts").AgentEvent} RunEvent
 * @typedef {{ id: string | undefined, event: RunEvent }} Frame
 */

/** The server says something every 15 seconds, if only a comment. */
const LONGEST_SILENCE_MS = 45_000;

/**
 * Reads server-sent events. A body that breaks off throws a TypeError, and so does one that is silent for too long: a connection can be
 * gone without a word, as when a computer slept.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<Frame>}
 */
export async function* readFrames(response) {
  if (response.body === null) return;
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await readInTime(reader);
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const frame = readFrame(part);
      if (frame !== undefined) yield frame;
    }
  }
}

/** @param {ReadableStreamDefaultReader<string>} reader */
async function readInTime(reader) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const silence = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new TypeError("The server is silent.")), LONGEST_SILENCE_MS);
  });
  try {
    return await Promise.race([reader.read(), silence]);
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * One frame; undefined for comments and hints.
 *
 * @param {string} text
 * @returns {Frame | undefined}
 */
function readFrame(text) {
  /** @type {string | undefined} */
  let id;
  let data = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("id: ")) id = line.slice(4);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  return data === "" ? undefined : { id, event: JSON.parse(data) };
}
