const isFuzzing = process.env.REPRISE_FUZZ !== undefined && process.env.REPRISE_FUZZ !== "";

/** How many random sequences the engine and its oracle are compared on; cheaper or dearer properties take a fraction. */
export const SEQUENCES: number = isFuzzing ? 100_000 : 10_000;

/** A property is one long test; the time it may take grows with its runs. */
export const PROPERTY_TIMEOUT_MS: number = SEQUENCES * 12;
