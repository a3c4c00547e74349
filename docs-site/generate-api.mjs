// Writes the API reference: one page for each name that `reprise` and its subpaths export, made from the doc comments of the
// sources, and the sidebar that leads to them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Application, Converter } from "typedoc";

const ROOT = join(import.meta.dirname, "..");
const PACKAGE = join(ROOT, "packages/reprise");
const OUTPUT = join(import.meta.dirname, "dist/pages/api");
const KINDS = {
  functions: "Functions",
  classes: "Classes",
  variables: "Values",
  interfaces: "Interfaces",
  "type-aliases": "Types",
};

const { exports } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8"));
const entries = Object.entries(exports).flatMap(([subpath, { "reprise-source": source }]) =>
  source === undefined ? [] : [{ name: `reprise${subpath.slice(1)}`, file: join(PACKAGE, source) }],
);

const app = await Application.bootstrapWithPlugins({
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: entries.map(({ file }) => file),
  tsconfig: join(import.meta.dirname, "tsconfig.api.json"),
  // The compiler that builds the packages checks them.
  skipErrorChecking: true,
  out: OUTPUT,
  name: "API reference",
  readme: "none",
  router: "member",
  sort: ["source-order"],
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  validation: { notExported: false, invalidLink: true },
  treatWarningsAsErrors: true,
  logLevel: "Warn",
  entryFileName: "index",
  indexFormat: "table",
  groupOrder: ["Functions", "Classes", "Variables", "Interfaces", "Type Aliases", "*"],
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  tableColumnSettings: { hideModifiers: true, leftAlignHeaders: true },
  pageTitleTemplates: { index: "{projectName}", member: ({ name }) => name, module: ({ name }) => name },
});

// TypeDoc calls a module by its file; its readers know it by the name they import.
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.children ?? [])
    module.name = entries.find(({ file }) => file === join(PACKAGE, `src/${module.name}.ts`))?.name ?? module.name;
});

// Properties stay in the order of the source; a list of names is looked through by its alphabet.
const byName = (one, other) => one.name.localeCompare(other.name, "en");
app.converter.on(
  Converter.EVENT_RESOLVE_END,
  ({ project }) => {
    for (const { groups = [] } of project.children ?? []) for (const { children } of groups) children.sort(byName);
  },
  -1000,
);

const project = await app.convert();
if (project !== undefined) await app.generateOutputs(project);
if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) process.exit(1);

writeFileSync(join(OUTPUT, "../../api-sidebars.json"), JSON.stringify(Object.fromEntries(entries.map(toSidebar))));

/** The sidebar of one module: its own names, and the way to the other modules. */
function toSidebar({ name }) {
  const folders = readdirSync(join(OUTPUT, name));
  const kinds = Object.entries(KINDS).filter(([folder]) => folders.includes(folder));
  const items = kinds.map(([folder, text]) => ({ text, collapsed: true, items: readMembers(`${name}/${folder}`) }));
  const modules = entries.map((entry) => ({
    text: entry.name,
    link: `/api/${entry.name}/`,
    ...(entry.name === name && { items }),
  }));
  return [`/api/${name}/`, [{ text: "API reference", link: "/api/", items: modules }]];
}

/** @param {string} folder */
function readMembers(folder) {
  return readdirSync(join(OUTPUT, folder))
    .map((file) => file.replace(/\.md$/, ""))
    .sort((one, other) => one.localeCompare(other, "en"))
    .map((member) => ({ text: member, link: `/api/${folder}/${member}` }));
}
