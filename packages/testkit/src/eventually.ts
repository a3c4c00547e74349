import { vi } from "vitest";

/**
 * Waits until `look` returns without throwing: for the message of a server, or for a row that another process stores. The wait is as long
 * as a test may take at all, so that tests pass on a busy machine.
 */
export function eventually<Found>(look: () => Found | Promise<Found>): Promise<Found> {
  return vi.waitFor(look, { timeout: 20_000, interval: 20 });
}
