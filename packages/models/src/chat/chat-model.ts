import type { LanguageModel, ModelChunk, ModelRequest } from "@reprise/contracts";
import type { Speaker } from "../failure/failed-answer.ts";
import { readModelOptions } from "../request/model-options.ts";
import { nameTools, type ToolNames } from "../request/tool-names.ts";
import { type Connection, openAnswer } from "../wire/open-answer.ts";
import { ChatAnswer } from "./chat-answer.ts";
import { writeMessages } from "./chat-messages.ts";
import { writeBody } from "./chat-request.ts";
import { readAnswer } from "./read-answer.ts";

/** A model that is spoken to in chat completions. */
export class ChatModel implements LanguageModel {
  readonly id: string;
  readonly #name: string;
  readonly #connect: () => Connection;

  constructor(id: string, name: string, connect: () => Connection) {
    this.id = id;
    this.#name = name;
    this.#connect = connect;
  }

  /** One generator from the first byte to the last word: each more would cost every word another turn of the event loop. */
  stream(request: ModelRequest): AsyncGenerator<ModelChunk> {
    const { signal } = request;
    const { redact, ...connection } = this.#connect();
    const speaker: Speaker = { model: this.id, redact };
    const names = nameTools(request.tools);
    const open = async (): Promise<Response> =>
      openAnswer(speaker, { ...connection, body: await this.#write(request, names), signal });
    return readAnswer(open, new ChatAnswer(speaker, names), speaker, signal);
  }

  async #write(request: ModelRequest, names: ToolNames): Promise<string> {
    const options = readModelOptions(this.id, request.options);
    const messages = await writeMessages(this.id, request, names);
    return JSON.stringify(writeBody({ id: this.id, name: this.#name, request, options, messages, names }));
  }
}
