export * from "@reprise/stores/file";
