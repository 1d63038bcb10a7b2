// The search of a page that was opened from a folder. Browsers start no worker from there, so a hidden frame is one.
// In: what the theme sends its worker. Out: what that answers. On a server nothing is changed.
"use strict";
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.importScripts = (...scripts) =>
        scripts.reduce((before, script) => before.then(() => this.load(script)), Promise.resolve());
      this.load(String(address)).then(() => {
        this.ready = true;
        for (const data of this.waiting.splice(0)) this.postMessage(data);
      });
    }

    load(address) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script");
        script.src = new URL(address, location.href);
        script.onload = done;
        script.onerror = failed;
        this.frame.contentDocument.body.append(script);
      });
    }

    postMessage(data) {
      if (!this.ready) return void this.waiting.push(data);
      const inside = this.frame.contentWindow;
      inside.dispatchEvent(new inside.MessageEvent("message", { data }));
    }

    set onmessage(listener) {
      this.addEventListener("message", listener);
    }

    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
