/**
 * Writes one message of an event stream. The cursor becomes its id, so that a client that comes back says how far it got. One
 * that would break the frame is left out.
 */
export function encodeSseFrame(data: string, cursor?: string): string {
  const id = cursor === undefined || /[\r\n\0]/.test(cursor) ? "" : `id: ${cursor}\n`;
  return `${id}data: ${data}\n\n`;
}
