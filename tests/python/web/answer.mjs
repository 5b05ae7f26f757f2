// Answers requests to the core in WebAssembly, and "memory" by the bytes that it has taken:
// node answer.mjs FOLDER [NETWORK] < requests > answers, JSON both.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, network] = process.argv.slice(2);
const { start } = await import(pathToFileURL(`${folder}/engine.js`));
const instantiate = WebAssembly.instantiate;
let memory;
WebAssembly.instantiate = async (...given) => {
  const made = await instantiate(...given);
  memory = made.exports.memory;
  return made;
};
const core = await start(await WebAssembly.compile(readFileSync(`${folder}/core.wasm`)));
if (network) core.network(readFileSync(network));
const requests = JSON.parse(readFileSync(0, "utf8"));
const answer = ([name, fields]) => (name === "memory" ? memory.buffer.byteLength : core.call(name, fields));
process.stdout.write(JSON.stringify(requests.map(answer)));
