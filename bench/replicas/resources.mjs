// What a login waits for. Each function that a process of the timeline yields takes what to call afterwards.

/** Places that are taken and given back, in the order of the requests. */
export class Places {
  #waiting = [];
  #first = 0;

  constructor(free) {
    this.free = free;
  }

  take() {
    return (resume) => {
      if (this.free === 0) return this.#waiting.push(resume);
      this.free -= 1;
      resume();
    };
  }

  giveBack() {
    if (this.#first === this.#waiting.length) {
      this.#waiting = [];
      this.#first = 0;
      this.free += 1;
      return;
    }
    const resume = this.#waiting[this.#first];
    this.#first += 1;
    resume();
  }
}

/** Cores that all running threads share evenly; one thread uses one core at most. */
export class Cores {
  #timeline;
  #threads = new Set();
  #completion;
  #updatedAt = 0;
  busyMillis = 0;

  constructor(timeline, count) {
    this.#timeline = timeline;
    this.count = count;
  }

  /** Runs a thread until it has had `millis` of a core. */
  use(millis) {
    return (resume) => {
      this.#update();
      this.#threads.add({ left: millis, resume });
      this.#plan();
    };
  }

  get #speed() {
    return Math.min(1, this.count / this.#threads.size);
  }

  #update() {
    const { now } = this.#timeline;
    const passed = (now - this.#updatedAt) * this.#speed;
    if (this.#threads.size > 0) this.busyMillis += passed * this.#threads.size;
    for (const thread of this.#threads) thread.left -= passed;
    this.#updatedAt = now;
  }

  #plan() {
    if (this.#completion) this.#timeline.cancel(this.#completion);
    this.#completion = undefined;
    let next;
    for (const thread of this.#threads) if (!next || thread.left < next.left) next = thread;
    if (!next) return;
    const at = this.#timeline.now + Math.max(0, next.left) / this.#speed;
    this.#completion = this.#timeline.schedule(at, () => {
      this.#update();
      this.#threads.delete(next);
      this.#completion = undefined;
      this.#plan();
      next.resume();
    });
  }
}

/** The log of a database: all commits that wait when a flush begins share it. */
export class CommitLog {
  #timeline;
  #flushMillis;
  #waiting = [];
  #isFlushing = false;

  constructor(timeline, flushMillis) {
    this.#timeline = timeline;
    this.#flushMillis = flushMillis;
  }

  flush() {
    return (resume) => {
      this.#waiting.push(resume);
      if (!this.#isFlushing) this.#next();
    };
  }

  #next() {
    const group = this.#waiting;
    this.#waiting = [];
    this.#isFlushing = group.length > 0;
    if (!this.#isFlushing) return;
    this.#timeline.schedule(this.#timeline.now + this.#flushMillis, () => {
      this.#next();
      for (const resume of group) resume();
    });
  }
}
