/** What a server refuses before the runtime is asked: who may come, and in what shape. */
export class HttpRefusal extends Error {
  override readonly name = "HttpRefusal";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** A request with the wrong shape, in the words every such answer begins with. */
export function badRequest(message: string): HttpRefusal {
  return new HttpRefusal(400, `bad request: ${message}`);
}
