/** What stands behind `Authorization: Bearer`; undefined when that header says something else or is not there. */
export function bearerOf(headers: Headers): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}
