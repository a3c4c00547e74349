import type { NextConfig } from "next";

const config: NextConfig = {
  // The store loads native code, and the studio is read from the package.
  serverExternalPackages: ["reprise"],
  // The studio needs the slash of /agents/, and the API has none.
  skipTrailingSlashRedirect: true,
};

export default config;
