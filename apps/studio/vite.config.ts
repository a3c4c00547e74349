import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type UserConfig } from "vite";

const config: UserConfig = defineConfig({
  // The server may be mounted below any path: files name each other by relative addresses.
  base: "./",
  plugins: [react(), tailwind()],
  resolve: { conditions: ["reprise-source", "module", "browser", "production", "default"] },
  build: { target: "es2023", assetsInlineLimit: 0, modulePreload: { polyfill: false }, chunkSizeWarningLimit: 700 },
});
export default config;
