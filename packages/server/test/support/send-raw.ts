import { request } from "node:http";

export interface Sent {
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** Sends headers that `fetch` does not let through, such as another host. Answers the status and the text. */
export function send(url: string, path: string, { headers, body, method }: Sent): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { method: method ?? (body === undefined ? "GET" : "POST"), headers };
    const sent = request(`${url}${path}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve(`${response.statusCode} ${text}`));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
