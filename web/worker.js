// A core in a thread of its own, so that the page never waits.
import { start } from "./engine.js";

let core;
let before = Promise.resolve();

async function answer({ module, network, call, fields }) {
  if (module) core = await start(module);
  else if (network) core.network(network);
  else return core.call(call, fields);
  return null;
}

onmessage = ({ data }) => {
  before = before.then(async () => {
    try {
      const found = await answer(data);
      if (found) postMessage({ id: data.id, found });
    } catch (error) {
      postMessage({ id: data.id, error: error.message || String(error) });
    }
  });
};
