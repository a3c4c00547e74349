import type { Authenticate } from "./principal.ts";

/** Takes any of several credentials. Asked in order; the first that knows who it is wins. */
export function anyOf(...ways: readonly Authenticate[]): Authenticate {
  return async (headers) => {
    let failure: { readonly error: unknown } | undefined;
    for (const authenticate of ways) {
      try {
        const principal = await authenticate(headers);
        if (principal !== undefined) return principal;
      } catch (error) {
        // One that cannot tell now must not keep out those whom another knows.
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
    return undefined;
  };
}
