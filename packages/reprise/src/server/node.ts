export type { Listening, ListenOptions } from "@reprise/server/node";
export { listen } from "@reprise/server/node";
