/** How much of a tool's result a model reads. */
export interface TextLimits {
  /** In UTF-8. */
  readonly bytes: number;
  readonly lines: number;
}

/** A text as far as the limits reach: whole, or its head and its tail. */
export interface BoundText {
  readonly text: string;
  readonly isCut: boolean;
}

const encoder = new TextEncoder();

/** Shows the head and the tail of a text that is too long, and between them what is missing. `whole` says where all of it is. */
export function boundText(text: string, limits: TextLimits, whole?: string): BoundText {
  const lines = text.split("\n");
  const bytes = sizeOf(text, limits.bytes);
  if (lines.length <= limits.lines && bytes <= limits.bytes) return { text, isCut: false };
  const half = Math.floor(limits.lines / 2);
  const isLong = lines.length > limits.lines;
  const head = headOf(isLong ? lines.slice(0, half).join("\n") : text, Math.floor(limits.bytes / 2));
  const tail = tailOf(isLong ? lines.slice(-half).join("\n") : text, Math.floor(limits.bytes / 2));
  const where = whole === undefined ? "" : ` The whole of it is ${whole}.`;
  const size = encoder.encode(text).length;
  const note = `[Cut: ${size} bytes in ${lines.length} lines, of which the beginning and the end are shown.${where}]`;
  return { text: `${head}\n${note}\n${tail}`, isCut: true };
}

/** A character is at most three bytes, so short texts need not be measured. */
function sizeOf(text: string, limit: number): number {
  return text.length * 3 <= limit ? text.length * 3 : encoder.encode(text).length;
}

function headOf(text: string, bytes: number): string {
  const { read } = encoder.encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}

function tailOf(text: string, bytes: number): string {
  let start = Math.max(text.length - bytes, 0);
  for (;;) {
    const tail = text.slice(start).toWellFormed();
    const excess = encoder.encode(tail).length - bytes;
    if (excess <= 0) return tail;
    start += Math.ceil(excess / 3);
  }
}
