/**
 * A server or browser that some tests run against.
 *
 * @typedef {object} Service
 * @property {string} variable environment variable naming the program or its folder; when set, nothing else is tried
 * @property {readonly string[]} programs names the program goes by, best first
 * @property {readonly string[]} beside programs that must stand in the same folder for this to be the real thing
 * @property {readonly string[]} folders where it usually is when it is not on PATH; `*` stands for a version
 * @property {readonly string[]} debianPackages
 */

/** @typedef {"postgres" | "nats" | "chromium"} ServiceName */

/** @type {Readonly<Record<ServiceName, Service>>} */
export const SERVICES = {
  postgres: {
    variable: "REPRISE_POSTGRES_BIN",
    programs: ["postgres"],
    // Tests make their own cluster; a client package or a wrapper alone cannot.
    beside: ["initdb"],
    folders: ["/usr/lib/postgresql/*/bin"],
    debianPackages: ["postgresql"],
  },
  nats: {
    variable: "REPRISE_NATS_BIN",
    programs: ["nats-server"],
    beside: [],
    folders: ["/usr/sbin", "/usr/bin", "/usr/local/bin"],
    debianPackages: ["nats-server"],
  },
  chromium: {
    variable: "REPRISE_CHROMIUM_BIN",
    programs: ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"],
    beside: [],
    folders: ["/usr/bin", "/usr/lib/chromium"],
    debianPackages: ["chromium"],
  },
};

export const SERVICE_NAMES = /** @type {readonly ServiceName[]} */ (Object.keys(SERVICES));

/**
 * @param {string} name
 * @returns {name is ServiceName}
 */
export function isServiceName(name) {
  return Object.hasOwn(SERVICES, name);
}

/** @param {readonly ServiceName[]} names */
export function installCommand(names) {
  return `npm run services -- install ${names.join(" ")}`;
}
