// A core in a thread of its own, so that the page never waits.
import { start } from "./engine.js";

let core;
let broken = null; // why the core or its network is missing: nobody waits for that, so a call that fails tells it
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
      if (!data.call) broken ??= error;
      const reason = broken ?? error;
      if (data.call) postMessage({ id: data.id, error: reason.message || String(reason) });
    }
  });
};
