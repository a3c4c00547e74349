export * from "@reprise/protocols/ai-sdk";
