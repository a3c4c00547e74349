export type { A2uiCatalog, GenerativeUiOptions } from "@reprise/plugins/generative-ui";
export { encodeSurfaces, generativeUi } from "@reprise/plugins/generative-ui";
