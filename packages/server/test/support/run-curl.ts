/** Sends what a curl command line sends. Knows the options that the pages use, and refuses others. */
export async function runCurl(line: string, base: string): Promise<Response> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const headers: Record<string, string> = {};
  let method: string | undefined;
  let body: string | undefined;
  let url = "";
  if (words.shift() !== "curl") throw new Error(`Not a curl line: ${line}`);
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "-i" || word === "-N" || word === "-s") continue;
    if (word === "-X") method = words.shift();
    else if (word === "-d") body = words.shift();
    else if (word === "-H") {
      const [name = "", value = ""] = (words.shift() ?? "").split(/:\s*/, 2);
      headers[name] = value;
    } else if (word.startsWith("-")) throw new Error(`The option ${word} is not known.`);
    else url = word;
  }
  const wanted = method ?? (body === undefined ? "GET" : "POST");
  return fetch(url.replace("http://127.0.0.1:8080", base), {
    method: wanted,
    headers,
    ...(body !== undefined && { body }),
  });
}
