/**
 * An event of a run, as the server's canonical stream has it.
 *
 * @typedef {import("@reprise/contracts").AgentEvent} RunEvent
 * @typedef {{ id: string | undefined, event: RunEvent }} Frame
 */

/**
 * Reads server-sent events. A body that breaks off throws.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<Frame>}
 */
export async function* readFrames(response) {
  if (response.body === null) return;
  let rest = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const frame = readFrame(part);
      if (frame !== undefined) yield frame;
    }
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
