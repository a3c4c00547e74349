export type { Listening, ListenOptions, MountedRequest, NodeHandler } from "@reprise/server/node";
export { fastifyPlugin, listen, nodeHandler, studio } from "@reprise/server/node";
