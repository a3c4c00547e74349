// Builds the studio unless it is already built from the same sources.

import { ROOT } from "./repository.mjs";
import { buildStudio } from "./studio/build-studio.mjs";

await buildStudio(ROOT, console.error);
