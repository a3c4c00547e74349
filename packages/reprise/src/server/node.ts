export type { Listening, ListenOptions, MountedRequest, NodeHandler } from "@reprise/server/node";
export { chatPage, fastifyPlugin, listen, nodeHandler } from "@reprise/server/node";
