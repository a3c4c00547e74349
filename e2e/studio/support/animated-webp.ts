/** A part of the picture that changes, as a WebP file of its own. */
export interface WebpFrame {
  /** Even numbers: the format stores half of them. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly durationMs: number;
  readonly webp: Buffer;
}

/** Puts frames, each drawn over the ones before it, into one animated WebP that repeats for ever. */
export function encodeAnimatedWebp(width: number, height: number, frames: readonly WebpFrame[]): Buffer {
  const animated = 0x02;
  const header = chunk("VP8X", Buffer.from([animated, 0, 0, 0]), uint24(width - 1), uint24(height - 1));
  const background = [255, 255, 255, 255];
  const loops = [0, 0];
  const animation = chunk("ANIM", Buffer.from([...background, ...loops]));
  const body = Buffer.concat([Buffer.from("WEBP"), header, animation, ...frames.map(encodeFrame)]);
  return Buffer.concat([Buffer.from("RIFF"), uint32(body.length), body]);
}

function encodeFrame({ x, y, width, height, durationMs, webp }: WebpFrame): Buffer {
  const withoutBlending = 0x02;
  const place = [x / 2, y / 2, width - 1, height - 1, durationMs].map(uint24);
  return chunk("ANMF", ...place, Buffer.from([withoutBlending]), ...imageChunks(webp));
}

/** The chunks of a still picture that hold the picture itself. */
function imageChunks(webp: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = 12; at < webp.length; ) {
    const [name, size] = [webp.toString("latin1", at, at + 4), webp.readUInt32LE(at + 4)];
    const end = at + 8 + size + (size % 2);
    if (name === "VP8 " || name === "VP8L" || name === "ALPH") found.push(webp.subarray(at, end));
    at = end;
  }
  return found;
}

/** A name, a length and a content of even length. */
function chunk(name: string, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(name), uint32(content.length), content, Buffer.alloc(content.length % 2)]);
}

function uint24(value: number): Buffer {
  return uint32(value).subarray(0, 3);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
