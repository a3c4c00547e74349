import { type JsonBody, parseObject, readText } from "./read-body.ts";

/** The body of a request, read at most once and only when it is asked for. */
export class RequestBody {
  readonly #request: Request;
  readonly #maxBytes: number;
  #text: Promise<string> | undefined;

  constructor(request: Request, maxBytes: number) {
    this.#request = request;
    this.#maxBytes = maxBytes;
  }

  text(): Promise<string> {
    this.#text ??= readText(this.#request, this.#maxBytes);
    return this.#text;
  }

  /** A JSON object; an empty body is refused. */
  async json(): Promise<JsonBody> {
    return parseObject(await this.text());
  }

  /** A JSON object, which may be left out. */
  async optionalJson(): Promise<JsonBody> {
    const text = await this.text();
    return text === "" ? {} : parseObject(text);
  }
}
