/** The command line asks for what cannot be: its message is all there is to say. */
export class UsageError extends Error {}
