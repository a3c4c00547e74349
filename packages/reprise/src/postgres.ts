export * from "@reprise/stores/postgres";
