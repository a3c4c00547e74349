import type { GeneratedMedia, MediaModel, MediaRequest } from "@reprise/contracts";
import type { Speaker } from "../failure/failed-answer.ts";
import { thrownFailure } from "../failure/thrown-failure.ts";
import { refuse } from "../request/model-options.ts";
import { tooLarge } from "../wire/bound-events.ts";
import { type Connection, openAnswer } from "../wire/open-answer.ts";
import { fetchImage, MAX_IMAGE_BYTES } from "./fetch-image.ts";
import { mediaTypeOf } from "./media-type.ts";
import { readImages } from "./read-images.ts";

/** An answer holds a picture in base64, which takes a third more, or some of them. */
const MAX_BODY_BYTES = 4 * MAX_IMAGE_BYTES;

/** The text of an answer, which must not be larger than pictures are. */
async function readBody(speaker: Speaker, response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let size = 0;
  try {
    // A body is an async iterable in Node; the DOM's types do not say so.
    const body = response.body as unknown as AsyncIterable<Uint8Array> | null;
    for await (const piece of body ?? []) {
      size += piece.length;
      if (size > MAX_BODY_BYTES) throw tooLarge(speaker);
      pieces.push(decoder.decode(piece, { stream: true }));
    }
  } catch (error) {
    throw thrownFailure(speaker, error, true, signal);
  }
  return pieces.join("") + decoder.decode();
}

/** A model that is asked for pictures at `/images/generations`, as OpenAI has it and many servers do. */
export class ImagesModel implements MediaModel {
  readonly id: string;
  readonly #name: string;
  readonly #connect: () => Connection;

  constructor(id: string, name: string, connect: () => Connection) {
    this.id = id;
    this.#name = name;
    this.#connect = connect;
  }

  async generate(request: MediaRequest): Promise<GeneratedMedia> {
    const { signal } = request;
    const { redact, ...connection } = this.#connect();
    const speaker: Speaker = { model: this.id, redact };
    const body = JSON.stringify(this.#write(request));
    const response = await openAnswer(speaker, { ...connection, body, signal });
    const { images, format } = readImages(speaker, response, await readBody(speaker, response, signal));
    const [first] = images;
    const configured = new URL(connection.url).origin;
    const content = first.kind === "data" ? first.content : await fetchImage(speaker, first.url, request, configured);
    return { content, media_type: mediaTypeOf(content, format), units: images.length };
  }

  /** Settings go out as they are: servers differ in what they know. One picture is asked for, whatever they say. */
  #write({ prompt, modality, options }: MediaRequest): object {
    if (modality !== "image") throw refuse(this.id, `this endpoint makes images, and ${modality} was asked for`);
    if (options.n !== undefined && options.n !== 1)
      throw refuse(this.id, "one picture is made at a time; leave `n` out");
    return { ...options, model: this.#name, prompt, n: 1 };
  }
}
