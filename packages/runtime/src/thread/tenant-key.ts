/** One key for an id of a tenant: two tenants may use the same ids. No id holds a control character, so it cannot be misread. */
export function tenantKey(tenant: string, id: string): string {
  return `${tenant}\u0000${id}`;
}
