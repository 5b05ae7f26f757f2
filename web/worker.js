// A core in a thread of its own, so that the page never waits.
import { start } from "./engine.js";

let core;
// Why the core or its network is missing: nobody waits for those, so a call that needs them and fails tells it.
let noCore = null;
let noNetwork = null;
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
      if (data.network) noNetwork = null;
      if (found) postMessage({ id: data.id, found });
    } catch (error) {
      if (data.module) noCore = error;
      else if (data.network) noNetwork = error;
      else {
        const needsNetwork = data.fields?.opponent?.startsWith("champion");
        const reason = noCore ?? (needsNetwork ? noNetwork : null) ?? error;
        postMessage({ id: data.id, error: reason.message || String(reason) });
      }
    }
  });
};
