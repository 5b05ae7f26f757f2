// Answers requests to the core in WebAssembly: node compare_wasm.mjs FOLDER < requests > answers, JSON both.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, network] = process.argv.slice(2);
const { start } = await import(pathToFileURL(`${folder}/engine.js`));
const core = await start(await WebAssembly.compile(readFileSync(`${folder}/core.wasm`)));
if (network) core.network(readFileSync(network));
const requests = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(requests.map(([name, fields]) => core.call(name, fields))));
