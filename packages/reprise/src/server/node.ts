export * from "@reprise/server/node";
