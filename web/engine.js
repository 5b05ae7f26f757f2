// The core in WebAssembly: requests and answers are objects, see web/src/calls.rs.

/** Start a core of its own from a compiled module. */
export async function start(module) {
  const { exports: core } = await WebAssembly.instantiate(module, {});
  const put = (bytes) => {
    const at = core.buffer(bytes.length); // which may move the memory
    new Uint8Array(core.memory.buffer, at, bytes.length).set(bytes);
  };
  const answer = () => {
    const bytes = new Uint8Array(core.memory.buffer, core.answer_at(), core.answer_len());
    const found = JSON.parse(new TextDecoder().decode(bytes));
    if (found.error) throw new Error(found.error);
    return found;
  };
  return {
    call(name, fields = {}) {
      put(new TextEncoder().encode(JSON.stringify({ ...fields, call: name })));
      core.call();
      return answer();
    },
    network(bytes) {
      put(bytes);
      core.network();
      answer();
    },
  };
}
