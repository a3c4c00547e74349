import type { Page } from "playwright-core";
import { encodeAnimatedWebp, type WebpFrame } from "./animated-webp.ts";

const CAPTION_HEIGHT = 48;
const QUALITY = 0.82;

/** Puts screenshots with captions together to a film. A page without content does the drawing and the compression. */
export class Film {
  readonly #studio: Page;
  readonly #frames: WebpFrame[] = [];
  #size = { width: 0, height: 0 };

  constructor(studio: Page) {
    this.#studio = studio;
  }

  /** Adds a screenshot. One that looks like the last one adds no frame; the longer of both durations counts. */
  async add(screenshot: Buffer, caption: string, durationMs: number): Promise<void> {
    const png = `data:image/png;base64,${screenshot.toString("base64")}`;
    const drawn = await this.#studio.evaluate(drawFrame, { png, caption, height: CAPTION_HEIGHT, quality: QUALITY });
    this.#size = drawn.size;
    const { changed } = drawn;
    const last = this.#frames.at(-1);
    if (changed === undefined) {
      const longer = Math.max(last?.durationMs ?? 0, durationMs);
      if (last !== undefined) this.#frames[this.#frames.length - 1] = { ...last, durationMs: longer };
      return;
    }
    const { webp, ...place } = changed;
    this.#frames.push({ ...place, durationMs, webp: Buffer.from(webp, "base64") });
  }

  encode(): Buffer {
    return encodeAnimatedWebp(this.#size.width, this.#size.height, this.#frames);
  }
}

interface Drawn {
  readonly size: { readonly width: number; readonly height: number };
  readonly changed?: {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    /** Base64. */
    readonly webp: string;
  };
}

/** Runs in the browser: draws a frame, and compresses the rectangle that differs from the frame before. */
async function drawFrame(shot: {
  readonly png: string;
  readonly caption: string;
  readonly height: number;
  readonly quality: number;
}): Promise<Drawn> {
  const kept: { pixels?: Uint32Array } = (globalThis as { film?: object }).film ?? {};
  (globalThis as { film?: object }).film = kept;
  const image = await createImageBitmap(await (await fetch(shot.png)).blob());
  const [width, height] = [image.width - (image.width % 2), image.height + shot.height];
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser has no canvas.");
  context.drawImage(image, 0, 0);
  context.fillStyle = "#15161b";
  context.fillRect(0, image.height, width, shot.height);
  context.fillStyle = shot.caption.startsWith("$") ? "#5fd39b" : "#ececf2";
  context.font = `600 ${Math.round(shot.height * 0.42)}px ${shot.caption.startsWith("$") ? "monospace" : "sans-serif"}`;
  context.textBaseline = "middle";
  context.fillText(shot.caption, shot.height * 0.5, image.height + shot.height / 2);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (kept.pixels?.[y * width + x] === pixels[y * width + x]) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  kept.pixels = pixels;
  const size = { width, height };
  if (right < 0) return { size };
  [left, top] = [left - (left % 2), top - (top % 2)];
  const part = new OffscreenCanvas(right - left + 1, bottom - top + 1);
  part.getContext("2d")?.drawImage(canvas, -left, -top);
  const blob = await part.convertToBlob({ type: "image/webp", quality: shot.quality });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return { size, changed: { x: left, y: top, width: part.width, height: part.height, webp: btoa(binary) } };
}
