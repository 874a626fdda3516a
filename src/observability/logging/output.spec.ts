import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../../test/support/runner/wait-until.js';
import { charsetNamed } from '../../kernel/encoding/charset.js';
import { type Destination, Output } from './output.js';

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/** A reader that accepts `maxBytes` bytes at a time, or fails with the next of its `failures`. */
class Reader implements Destination {
  readonly pieces: Buffer[] = [];
  maxBytes = Infinity;
  failures: string[] = [];
  calls = 0;

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }

  write: Destination['write'] = (bytes, done) => {
    this.calls += 1;
    setImmediate(() => {
      const code = this.failures.shift();
      if (code !== undefined) {
        done(failure(code), 0);
        return;
      }
      const taken = bytes.subarray(0, this.maxBytes);
      this.pieces.push(taken);
      done(null, taken.length);
    });
  };

  writeNow(bytes: Buffer): number {
    const code = this.failures.shift();
    if (code !== undefined) throw failure(code);
    const taken = bytes.subarray(0, this.maxBytes);
    this.pieces.push(taken);
    return taken.length;
  }
}

const lostText = (lines: number): string => `${lines} lost\n`;

function numbered(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `line ${at}\n`);
}

describe('the output', () => {
  it('writes lines in order, many at a time', async () => {
    const reader = new Reader();
    const output = new Output({ destination: reader, lostText });

    for (const line of numbered(1000)) output.add(line);
    await output.flush(5000);

    expect(reader.text).toBe(numbered(1000).join(''));
    expect(reader.calls).toBeLessThan(10);
  });

  it('writes complete lines if the destination accepts a few bytes at a time', async () => {
    const reader = new Reader();
    reader.maxBytes = 7;
    const output = new Output({ destination: reader, lostText });

    for (const line of numbered(50)) output.add(`한${line}`);
    await output.flush(5000);

    expect(reader.text).toBe(
      numbered(50)
        .map((line) => `한${line}`)
        .join(''),
    );
  });

  it('waits while a pipe is full', async () => {
    const reader = new Reader();
    reader.failures = ['EAGAIN', 'EAGAIN', 'EAGAIN'];
    const output = new Output({ destination: reader, lostText });

    output.add('a\n');
    await output.flush(5000);

    expect(reader.text).toBe('a\n');
  });

  it('drops lines beyond the limit and reports their number later', async () => {
    const reader = new Reader();
    const output = new Output({ destination: reader, lostText, maxPendingLength: 20 });

    for (const line of numbered(10)) output.add(line);
    await output.flush(5000);
    output.add('more\n');
    await output.flush(5000);

    expect(reader.text).toBe('line 0\nline 1\n8 lost\nmore\n');
  });

  it('reports dropped lines even if no other line follows', async () => {
    const written: string[] = [];
    let release: (() => void) | undefined;
    const write: Destination['write'] = (bytes, done) => {
      written.push(bytes.toString());
      release = () => done(null, bytes.length);
    };
    const output = new Output({ destination: { write, writeNow: () => 0 }, lostText, maxPendingLength: 10 });

    output.add('line 0\n');
    await waitUntil('it is on its way', () => release !== undefined);
    output.add('line 1\n');
    release?.();
    await waitUntil('it is told', () => written.length === 2);

    expect(written).toEqual(['line 0\n', '1 lost\n']);
  });

  it('flushes without waiting while the pipe is broken, and writes when it works again', async () => {
    const reader = new Reader();
    reader.failures = ['EPIPE'];
    const output = new Output({ destination: reader, lostText });

    output.add('a\n');
    await output.flush(60_000);
    const before = reader.text;
    await output.flush(60_000);

    expect([before, reader.text]).toEqual(['', 'a\n']);
  });

  it('does not retry a broken destination for each line', async () => {
    const reader = new Reader();
    reader.failures = ['ENOSPC'];
    const output = new Output({ destination: reader, lostText });
    output.add('a\n');
    await output.flush(60_000);

    for (let count = 0; count < 100; count += 1) output.add('x'.repeat(5000));

    expect(reader.calls).toBe(1);
  });

  it('encodes lines in the configured character set', async () => {
    const reader = new Reader();
    const output = new Output({ destination: reader, charset: charsetNamed('ISO-8859-1'), lostText });

    output.add('ü\n');
    await output.flush(5000);

    expect(Buffer.concat(reader.pieces).toString('hex')).toBe('fc0a');
  });

  it('flushNow writes all lines synchronously', () => {
    const reader = new Reader();
    reader.maxBytes = 3;
    const output = new Output({ destination: reader, lostText });
    output.add('one\n');
    output.add('two\n');

    output.flushNow();

    expect(reader.text).toBe('one\ntwo\n');
  });

  it('flushNow does not wait for a full pipe', () => {
    const reader = new Reader();
    reader.failures = ['EAGAIN'];
    const output = new Output({ destination: reader, lostText });
    output.add('one\n');

    output.flushNow();

    expect(reader.text).toBe('');
  });

  it('flush ends at its time limit', async () => {
    const output = new Output({ destination: { write: () => undefined, writeNow: () => 0 }, lostText });

    output.add('a\n');

    await expect(output.flush(1)).resolves.toBeUndefined();
  });
});
