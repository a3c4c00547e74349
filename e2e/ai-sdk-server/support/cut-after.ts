/** Asks for real, and loses the connection of the first answer once it has heard something. */
export function cutAfter(words: string): typeof fetch {
  let isCut = false;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (isCut || response.body === null) return response;
    isCut = true;
    const decoder = new TextDecoder();
    let heard = "";
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        heard += decoder.decode(chunk, { stream: true });
        controller.enqueue(chunk);
        if (heard.includes(`"delta":"${words}"`)) controller.error(new Error("The connection is gone."));
      },
    });
    return new Response(response.body.pipeThrough(cut), { status: response.status, headers: response.headers });
  };
}
