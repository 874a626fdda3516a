/** The events of a simulation in the order of their time, in milliseconds; times have no relation to the real clock. */
export class Timeline {
  #heap = [];
  #sequence = 0;
  now = 0;

  /** Runs `action` at `at`; the returned event can be cancelled. */
  schedule(at, action) {
    const event = { at, sequence: (this.#sequence += 1), action };
    this.#heap.push(event);
    this.#rise(this.#heap.length - 1);
    return event;
  }

  cancel(event) {
    event.action = undefined;
  }

  /** A wait, for a process of `start`. */
  wait(millis) {
    return (resume) => this.schedule(this.now + millis, resume);
  }

  /** Runs a generator, each value of which is a function that takes what to call after the wait, with the result. */
  start(process) {
    const resume = (value) => {
      const step = process.next(value);
      if (!step.done) step.value(resume);
    };
    resume();
  }

  /** Runs all events until `end`. */
  run(end = Infinity) {
    while (this.#heap.length > 0 && this.#heap[0].at <= end) {
      const { at, action } = this.#next();
      if (action === undefined) continue;
      this.now = at;
      action();
    }
  }

  #next() {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #rise(index) {
    const heap = this.#heap;
    for (let parent = (index - 1) >> 1; index > 0 && isBefore(heap[index], heap[parent]); parent = (index - 1) >> 1) {
      [heap[index], heap[parent]] = [heap[parent], heap[index]];
      index = parent;
    }
  }

  #sink() {
    const heap = this.#heap;
    for (let index = 0, child = 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child += 1;
      if (!isBefore(heap[child], heap[index])) return;
      [heap[index], heap[child]] = [heap[child], heap[index]];
      index = child;
    }
  }
}

function isBefore(first, second) {
  return first.at < second.at || (first.at === second.at && first.sequence < second.sequence);
}

/** The same sequence of numbers for the same seed (mulberry32). */
export function randomNumbers(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (least, most) => least + (most - least) * next(),
    exponential: (mean) => -mean * Math.log(1 - next()),
  };
}
