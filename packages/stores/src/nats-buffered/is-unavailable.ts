import { RepriseError } from "@reprise/contracts";

/** Whether the database could not be asked, rather than having said no. */
export function isUnavailable(error: unknown): boolean {
  return RepriseError.is(error, "STORE_UNAVAILABLE") || RepriseError.is(error, "STORAGE_FULL");
}
