/**
 * Preloaded into the service (`node --import <this file>?file=<path>`): its system clock shows what `MovedClock` writes
 * into the file. Timers and `performance.now()` keep the pace of the machine. JavaScript, since every start would translate it.
 */
import { Buffer } from 'node:buffer';
import { openSync, readSync } from 'node:fs';

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const descriptor = openSync(file, 'r');
const buffer = Buffer.alloc(8);
const machineNow = Date.now;

/** The lowest bit says which of the two the other bits are: an instant that stands still, or a distance. */
function movedNow() {
  readSync(descriptor, buffer, 0, 8, 0);
  const value = buffer.readBigInt64LE();
  const millis = Number(value >> 1n);
  return (value & 1n) === 1n ? millis : machineNow() + millis;
}

Date.now = movedNow;

globalThis.Date = new Proxy(Date, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [movedNow()] : values, newTarget),
  apply: (target) => new target(movedNow()).toString(),
});
