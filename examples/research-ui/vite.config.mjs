import { defaultClientConditions, defineConfig } from "vite";

const target = process.env.REPRISE_URL ?? "http://127.0.0.1:8080";

/**
 * Requests to the API are passed on to the server, so that both are one origin to the browser. The host stays the page's: the server
 * compares it with the origin of a request.
 *
 * @type {import("vite").ProxyOptions}
 */
const server = {
  target,
  changeOrigin: false,
  configure(proxy) {
    // A stream of a server that died ends for the page too: otherwise the page would wait for the rest for ever.
    proxy.on("proxyRes", (fromServer, _request, toPage) => {
      fromServer.on("close", () => {
        if (!fromServer.complete) toPage.destroy();
      });
    });
  },
};

const proxy = { "/v1": server };

// In a clone the packages are used from their source; installed ones have no such condition.
const resolve = { conditions: ["reprise-source", ...defaultClientConditions] };

export default defineConfig({ resolve, server: { proxy }, preview: { proxy } });
