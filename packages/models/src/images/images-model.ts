import type { GeneratedMedia, MediaModel, MediaRequest } from "@reprise/contracts";
import type { Speaker } from "../failure/failed-answer.ts";
import { refuse } from "../request/model-options.ts";
import { type Connection, openAnswer } from "../wire/open-answer.ts";
import { fetchImage } from "./fetch-image.ts";
import { mediaTypeOf } from "./media-type.ts";
import { readBody } from "./read-body.ts";
import { readImages } from "./read-images.ts";

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
