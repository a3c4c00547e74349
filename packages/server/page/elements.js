/**
 * Makes an element. Its content is text or other elements: nothing here is ever read as HTML.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {{ class?: string, [attribute: string]: string | undefined }} [attributes]
 * @param {readonly (Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...children);
  return made;
}

/**
 * @param {string} text
 * @param {string} className
 * @param {() => void} press
 * @returns {HTMLButtonElement}
 */
export function button(text, className, press) {
  const made = element("button", { type: "button", class: className }, text);
  made.addEventListener("click", press);
  return made;
}

/**
 * The element of the page with an id, of the kind it is expected to be.
 *
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no element ${id}.`);
  return found;
}

/**
 * JSON with indentation, for people.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function pretty(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
