// Sends messages to the worker of a page and prints its answers: node worker.mjs FOLDER < messages, JSON both.
// A module that is true stands for the core, and the bytes of a network are a list.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const answers = [];
Object.assign(globalThis, { onmessage: null, postMessage: (answer) => answers.push(answer) });
await import(pathToFileURL(`${folder}/worker.js`));
const core = await WebAssembly.compile(readFileSync(`${folder}/core.wasm`));
const messages = JSON.parse(readFileSync(0, "utf8"));
for (const { module, network, ...call } of messages) {
  if (module) onmessage({ data: { module: module === true ? core : module } });
  else if (network) onmessage({ data: { network: Uint8Array.from(network) } });
  else onmessage({ data: call });
}
const calls = messages.filter(({ call }) => call).length;
const end = Date.now() + 60_000;
while (answers.length < calls && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
process.stdout.write(JSON.stringify(answers));
