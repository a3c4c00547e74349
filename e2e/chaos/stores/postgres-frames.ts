/** A message of Postgres' protocol, with the bytes it came in. */
export interface Frame {
  /** One letter; empty for the first message of a client, which has none. */
  readonly type: string;
  readonly body: Buffer;
  readonly bytes: Buffer;
}

/** Cuts a stream of bytes into messages. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  #hasType: boolean;

  constructor({ isClient }: { readonly isClient: boolean }) {
    this.#hasType = !isClient;
  }

  /** The messages that are complete with these bytes. */
  read(chunk: Buffer): readonly Frame[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      const head = this.#hasType ? 1 : 0;
      if (this.#rest.length < head + 4) return frames;
      const length = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < length) return frames;
      const bytes = this.#rest.subarray(0, length);
      frames.push({ type: bytes.toString("latin1", 0, head), body: bytes.subarray(head + 4), bytes });
      this.#rest = this.#rest.subarray(length);
      this.#hasType = true;
    }
  }
}

/** The texts a message begins with, each ended by a zero byte. */
export function leadingTexts({ body }: Frame, count: number): readonly string[] {
  const texts: string[] = [];
  let from = 0;
  while (texts.length < count) {
    const end = body.indexOf(0, from);
    if (end < 0) return texts;
    texts.push(body.toString("utf8", from, end));
    from = end + 1;
  }
  return texts;
}
