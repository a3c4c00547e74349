import type { Claim, MailboxEntry } from "@reprise/contracts";
import { openStoredMessage } from "../codec/open-changeset.ts";
import { openEntry } from "../codec/request-codec.ts";
import type { ClaimAnswer } from "../kernel/request.ts";
import type { EntryRow } from "../kernel/rows.ts";
import type { RowReader } from "./row-reader.ts";

/** Opens entries of one tenant: some point at messages, which have to be read first. */
export interface EntryOpener {
  openEntry(row: EntryRow): Promise<MailboxEntry>;
}

export function createEntryOpener(tenant: string, reader: Pick<RowReader, "readMessagesOf">): EntryOpener {
  return {
    async openEntry(row) {
      const { texts_version, entry } = row;
      const stored = texts_version === null ? [] : await reader.readMessagesOf(tenant, entry.thread_id, texts_version);
      return openEntry(row, stored.map(openStoredMessage));
    },
  };
}

/** A claim with what it is for. */
export async function openClaim({ claim, entry, run, lost }: ClaimAnswer, reader: RowReader): Promise<Claim> {
  const opened = entry === undefined ? {} : { entry: await createEntryOpener(claim.tenant, reader).openEntry(entry) };
  return { ...claim, ...opened, ...(run === undefined ? {} : { run }), ...(lost && { lost }) };
}
