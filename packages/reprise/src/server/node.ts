export type { Listening, ListenOptions } from "@reprise/server/node";
export { chatPage, listen } from "@reprise/server/node";
