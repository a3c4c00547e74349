export { a2aBackend } from "./a2a/index.ts";
