import { vi } from "vitest";

/**
 * Waits until something that happens in its own time is so: what a server tells, what another process stores. How long that
 * takes is not what such a test is about, so a busy machine gets all the time a test may take at all.
 */
export function eventually<Found>(look: () => Found | Promise<Found>): Promise<Found> {
  return vi.waitFor(look, { timeout: 20_000, interval: 20 });
}
