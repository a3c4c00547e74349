/** How long one message may be, in characters. Prompts carry files as base64. */
export const MAX_MESSAGE_LENGTH: number = 32 * 1024 * 1024;

/** Cuts a stream of text into lines, whatever pieces it comes in. */
export interface LineSplitter {
  push(text: string): void;
}

/** `onOverflow` is called when a line is longer than allowed. Nothing is read after it. */
export function createLineSplitter(
  onLine: (line: string) => void,
  onOverflow: () => void,
  maxLength: number = MAX_MESSAGE_LENGTH,
): LineSplitter {
  let pieces: string[] = [];
  let length = 0;
  let isOver = false;
  const take = (piece: string): void => {
    length += piece.length;
    if (length > maxLength) {
      isOver = true;
      pieces = [];
      onOverflow();
    } else pieces.push(piece);
  };
  return {
    push(text) {
      for (let from = 0; !isOver; ) {
        const end = text.indexOf("\n", from);
        take(end < 0 ? text.slice(from) : text.slice(from, end));
        if (end < 0 || isOver) return;
        const line = pieces.join("");
        pieces = [];
        length = 0;
        from = end + 1;
        onLine(line);
      }
    },
  };
}
