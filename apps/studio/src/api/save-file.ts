import { ask } from "./connection.ts";

/** Saves an answer of the server as a file, with the credential of the person. */
export async function saveFile(path: string, name: string): Promise<void> {
  saveBlob(await (await ask(path)).blob(), name);
}

/** Saves what the page has as a file. */
export function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
