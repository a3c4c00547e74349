export * from "@reprise/server/config";
