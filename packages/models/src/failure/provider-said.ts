/** What a provider said about a failure, without secrets: the cause of a `ModelError`, for logs and people. */
export class ProviderSaid extends Error {
  override readonly name = "ProviderSaid";

  constructor(message: string) {
    super(message);
    // Where it was made says nothing about what went wrong at the other end.
    this.stack = `${this.name}: ${message}`;
  }
}
