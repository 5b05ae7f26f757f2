// A table in the page: what the widget sees of it, and the work that it wants.

import { start } from "./engine.js";
import { Desk } from "./desk.js";

const PAUSE = 450; // the least milliseconds of an answer, so that people can follow
const PATIENCE = 1000; // for a position that is being solved and no longer wanted

/** The model of a widget, as in a notebook: `get`, `on`, `off` and `send`.
 *
 * Nothing is loaded before the first message. `values` are those of the widget, `state` that of the table
 * that `setup` makes (see web/src/calls.rs), and `base` is the address of the files.
 */
export class PageTable {
  constructor(base, values, setup) {
    Object.assign(this, { base, values, setup, listeners: [], core: null, loading: null });
    this.seed = setup.seed ?? crypto.getRandomValues(new Uint32Array(1))[0];
    this.asked = null;
    this.decisions = 0; // of all games, or a rematch would repeat the game before it
    this.network = null;
    this.player = new Desk(() => this.open(this.network), 0);
    this.solver = new Desk(() => this.open(null), PATIENCE);
  }

  get(name) {
    return this.values[name];
  }

  on(event, call) {
    this.listeners.push([event, call]);
  }

  off(event, call) {
    this.listeners = this.listeners.filter(([name, own]) => name !== event || own !== call);
  }

  async send(message) {
    try {
      await (this.loading ??= this.load());
    } catch (error) {
      this.loading = null;
      await this.replay(message, error.message || String(error));
      return;
    }
    this.take(this.core.call("handle", { message }));
  }

  async load() {
    this.publish({ ...this.values.state, note: "Loading the game…" });
    if (typeof WebAssembly !== "object") throw new Error("this browser has no WebAssembly; use a newer one");
    this.module = await WebAssembly.compile(await this.bytes("core.wasm"));
    this.core = await start(this.module);
    let answer = this.core.call("table", { first: "", ...this.setup, seed: this.seed });
    for (const message of this.setup.messages ?? []) answer = this.core.call("handle", { message });
    this.take(answer);
  }

  /** Show the recorded game, where none can be played; it can be stepped through. */
  async replay(message, why) {
    const error = `The game could not be loaded: ${why}. Reload the page to try again.`;
    try {
      this.recorded ??= JSON.parse(new TextDecoder().decode(await this.bytes("recorded.json")));
    } catch {
      this.complain(error);
      return;
    }
    const last = this.recorded.length - 1;
    const shown = message.type === "go" ? Math.max(0, Math.min(last, message.shown)) : this.values.state.shown;
    const note = "Here is a recorded game to step through.";
    const { number } = this.values.state; // no game has begun
    this.publish({ ...this.recorded[Math.min(shown, last)], number, note, error });
  }

  async bytes(name) {
    const answer = await fetch(new URL(name, this.base));
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
    return answer.arrayBuffer();
  }

  /** A worker that has the core, and the champion's network if one is given. */
  async open(network) {
    const worker = new Worker(new URL("worker.js", this.base), { type: "module" });
    worker.postMessage({ module: this.module });
    if (network) worker.postMessage({ network: new Uint8Array(network) });
    return worker;
  }

  /** Tell the person of an error in place of what is told now. */
  complain(error) {
    this.publish({ ...this.values.state, note: "", error });
  }

  publish(state) {
    this.values.state = state;
    for (const [event, call] of this.listeners) if (event === "change:state") call();
  }

  take({ state, answer, solution }) {
    this.publish(state);
    this.ask(answer);
    this.solve(solution);
  }

  /** Let the opponent choose, unless it is already at it. */
  async ask(asked) {
    if (asked && this.asked === asked.version) return;
    this.asked = asked?.version ?? null;
    if (!asked) return this.player.want(null);
    const { version, forced } = asked;
    const started = performance.now();
    const reply = (fields) =>
      setTimeout(() => {
        if (this.asked !== version) return;
        this.asked = null;
        this.take(this.core.call("answer", { version, ...fields }));
      }, PAUSE - (performance.now() - started));
    if (forced !== null) return reply({ action: forced });
    const needsNetwork = asked.opponent.startsWith("champion");
    const failed = (error) => {
      if (needsNetwork) this.network = null; // it may be damaged, so the next try loads it again
      reply({ error });
    };
    try {
      if (needsNetwork && !this.network) {
        const network = await this.bytes("champion.bin");
        if (this.asked !== version) return undefined; // the worker may be at a job for another opponent
        this.network = network;
        this.player.stop();
      }
    } catch (error) {
      return failed(error.message || String(error));
    }
    const fields = { ...asked, seed: this.seed, decision: this.decisions++ };
    return this.player.want({ key: version, call: "choose", fields, done: ({ action }) => reply({ action }), failed });
  }

  /** Let a worker solve the position that is wanted next. */
  solve(wanted) {
    const tell = (fields) => this.take(this.core.call("solved", { ...wanted, ...fields }));
    this.solver.want(wanted && {
      key: `${wanted.variant} ${wanted.position}`, call: "solve", fields: wanted,
      done: ({ margins }) => tell({ margins }), failed: (error) => tell({ error }),
    });
  }
}
