/** Which thread of which tenant. */
export interface ThreadName {
  readonly tenant: { readonly tenant: string };
  readonly threadId: string;
}

/** An order of threads in which no two are equal. */
export function compareNames({ tenant, threadId }: ThreadName, other: ThreadName): number {
  return compareText(tenant.tenant, other.tenant.tenant) || compareText(threadId, other.threadId);
}

function compareText(text: string, other: string): number {
  return text < other ? -1 : text > other ? 1 : 0;
}
