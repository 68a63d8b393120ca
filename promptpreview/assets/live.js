// The stream of changes, one for all pages of a browser: a browser has six connections
// to a server. A shared worker holds the stream for as long as a page can be seen. Where
// there are no shared workers, each page has a stream of its own.

import { listen, RPCError } from "./client.js";

// follow tells what happens: "open" when changes will be told, "change" for each, "lost"
// if the server does not answer, and "off" if it has no stream. After "lost" it tries
// again.
async function follow(signal, tell) {
  let pause = 250;
  while (!signal.aborted) {
    try {
      await listen(signal, () => {
        pause = 250;
        tell("open");
      }, () => tell("change"));
    } catch (err) {
      if (!signal.aborted && err instanceof RPCError && err.code < 0) { // a status of HTTP is of a server that ends, or of another one
        tell("off");
        return;
      }
    }
    if (signal.aborted) return;
    tell("lost");
    await new Promise((resolve) => { setTimeout(resolve, pause); });
    pause = Math.min(pause * 2, 4000);
  }
}

// Stream follows the server while a page can be seen.
class Stream {
  #pages = new Set(); // that can be seen, each a function that is told
  #following = null;
  #state = null; // what a page is told that comes later

  show(tell) {
    if (this.#pages.has(tell)) return;
    this.#pages.add(tell);
    if (this.#state) tell(this.#state);
    if (this.#following) return;
    const { signal } = (this.#following = new AbortController());
    follow(signal, (event) => {
      if (signal.aborted) return;
      if (event !== "change") this.#state = event;
      for (const page of this.#pages) page(event);
    });
  }

  hide(tell) {
    this.#pages.delete(tell);
    if (this.#pages.size > 0) return;
    this.#following?.abort();
    this.#following = this.#state = null;
  }
}

const ownStream = (tell) => {
  const stream = new Stream();
  return (isVisible) => (isVisible ? stream.show(tell) : stream.hide(tell));
};

// connect tells a page what happens while it can be seen. It returns a function that takes
// whether the page can be seen.
export function connect(tell) {
  let show;
  let isVisible = false;
  try {
    const url = globalThis.trustedTypes ? trustedTypes.createPolicy("worker", { createScriptURL: () => "live.js" }).createScriptURL("") : "live.js";
    const worker = new SharedWorker(url, { type: "module" });
    worker.port.onmessage = (e) => { if (isVisible) tell(e.data); };
    worker.addEventListener("error", () => {
      show = ownStream(tell);
      show(isVisible);
    });
    show = (is) => worker.port.postMessage(is);
  } catch {
    show = ownStream(tell);
  }
  addEventListener("pagehide", () => show(false));
  return (is) => {
    isVisible = is;
    show(is);
  };
}

if (globalThis.SharedWorkerGlobalScope) {
  const stream = new Stream();
  addEventListener("connect", ({ ports: [port] }) => {
    const tell = (event) => port.postMessage(event);
    port.onmessage = ({ data: isVisible }) => (isVisible ? stream.show(tell) : stream.hide(tell));
  });
}
