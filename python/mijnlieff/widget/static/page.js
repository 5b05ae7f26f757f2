// The page of `mijnlieff play --browser`: shows the widget, and carries its messages to the server.
// The widget sees the same interface as in a notebook: get, on, off and send.

import widget from "./widget.js";

const main = document.getElementById("board");
const values = {};
const listeners = new Map();
let socket = null;
let shown = false;

const model = {
  get: (name) => values[name],
  on: (event, call) => listeners.set(event, [...(listeners.get(event) ?? []), call]),
  off: (event, call) =>
    listeners.set(event, (listeners.get(event) ?? []).filter((it) => it !== call)),
  send: (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  },
};

function connect() {
  const address = new URL("socket", location.href);
  address.protocol = "ws:";
  socket = new WebSocket(address);
  socket.onmessage = ({ data }) => {
    document.querySelector(".lost")?.remove();
    const news = JSON.parse(data);
    Object.assign(values, news);
    if (!shown && values.state && values.art) {
      shown = true;
      widget.render({ model, el: main });
    } else {
      for (const name of Object.keys(news)) {
        for (const call of listeners.get(`change:${name}`) ?? []) call();
      }
    }
  };
  socket.onclose = () => {
    if (!document.querySelector(".lost")) {
      const lost = document.createElement("p");
      lost.className = "lost";
      lost.setAttribute("role", "alert");
      lost.textContent = "The connection to mijnlieff is lost. Is it still running?";
      document.body.prepend(lost);
    }
    setTimeout(connect, 2000);
  };
}

connect();
