export * from "@reprise/server";
