/** Reads a header by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined;

/** Headers as providers' packages hand them over. */
export function headersOf(headers: Readonly<Record<string, string | undefined>> | undefined): ReadHeader {
  const byName = new Map(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return (name) => byName.get(name);
}
