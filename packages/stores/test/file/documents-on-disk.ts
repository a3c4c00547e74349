import { join } from "node:path";
import type { TenantStore } from "@reprise/contracts";
import { documentName } from "../../src/file/disk/file-names.ts";

/** Where the file of a document of the tenant `default` is. */
export function documentPath(folder: string, id = "d"): string {
  return join(folder, "documents", documentName({ tenant: "default", kind: "k", id }));
}

/** Saves over whatever is there, and gives back the revision. */
export async function putDocument(tenant: TenantStore, body: string, id = "d"): Promise<number> {
  const before = await tenant.loadDocument("k", id);
  const { document } = await tenant.saveDocument({ kind: "k", id, body }, before?.revision ?? 0);
  return document?.revision ?? 0;
}
