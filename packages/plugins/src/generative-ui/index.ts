export type { A2uiCatalog } from "./a2ui-schemas.ts";
export type { GenerativeUiOptions } from "./generative-ui.ts";
export { encodeSurfaces, generativeUi } from "./generative-ui.ts";
