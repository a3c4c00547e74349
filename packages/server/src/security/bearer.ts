/** Reads the token of `Authorization: Bearer`. Undefined when the header is absent or has another scheme. */
export function bearerOf(headers: Headers): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}
