import { ask } from "./connection.ts";

/** Saves an answer of the server as a file, with the credential of the person. */
export async function saveFile(path: string, name: string): Promise<void> {
  const address = URL.createObjectURL(await (await ask(path)).blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
