// One worker, which does the job that was wanted last.

/** Does jobs in a worker, one at a time.
 *
 * A job that is no longer wanted is given `patience` milliseconds to end; then the worker is replaced.
 */
export class Desk {
  constructor(open, patience) {
    Object.assign(this, { open, patience, worker: null, job: null, next: null, timer: 0, count: 0 });
  }

  /** Want this job, or none: `{ key, call, fields, done, failed }`. A key that is being done goes on. */
  want(job) {
    if (job && this.job?.key === job.key) {
      this.next = null;
      clearTimeout(this.timer);
      return;
    }
    this.next = job;
    if (!this.job) this.begin();
    else {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.stop(), this.patience);
    }
  }

  /** End the worker; the next job gets a new one. */
  stop() {
    clearTimeout(this.timer);
    this.worker?.then((worker) => worker.terminate(), () => {}); // one that did not open has no end
    this.worker = this.job = null;
    this.begin();
  }

  async begin() {
    if (this.job || !this.next) return;
    const job = (this.job = this.next);
    this.next = null;
    const id = ++this.count;
    try {
      this.worker ??= this.open(); // a promise
      const worker = await this.worker;
      if (this.job !== job) return;
      // A core that has failed may not be able to go on, so the next job gets another one.
      const fail = (error) => {
        worker.terminate();
        this.worker = null;
        this.end(job, () => job.failed(error));
      };
      worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        if (data.error) fail(data.error);
        else this.end(job, () => job.done(data.found));
      };
      worker.onerror = (event) => fail(event.message || "its worker could not be started; allow workers for this page");
      worker.postMessage({ id, call: job.call, fields: job.fields });
    } catch (error) {
      this.worker = null;
      this.end(job, () => job.failed(error.message || String(error)));
    }
  }

  end(job, tell) {
    if (this.job !== job) return;
    clearTimeout(this.timer);
    this.job = null;
    tell();
    this.begin();
  }
}
