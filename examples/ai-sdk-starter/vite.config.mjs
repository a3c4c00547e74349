import { defineConfig } from "vite";

const target = process.env.REPRISE_URL ?? "http://127.0.0.1:8080";
/**
 * What is the server's is passed on to it, so that both are one origin to the browser. The host stays the page's: the server compares it
 * with where a request comes from.
 */
const proxy = { "/v1": { target, changeOrigin: false } };

export default defineConfig({ server: { proxy }, preview: { proxy } });
