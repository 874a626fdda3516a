import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../kernel/errors/service-error.js';
import { SealFailure } from '../../platform/sealing/sealer.js';
import type { KeyRotation, ListedKey } from '../../identity/token/keys/key-rotation.service.js';
import { addKeysCommand, type KeysServices } from './keys.command.js';

interface Outcome {
  readonly code: number | undefined;
  readonly printed: readonly string[];
  readonly errors: readonly string[];
  readonly calls: readonly unknown[];
}

interface Situation {
  readonly failure?: Error;
  readonly isKnown?: boolean;
  readonly purposes?: readonly ('access' | 'mfa')[];
}

const KEY: ListedKey = {
  kid: 'kid-1',
  purpose: 'access',
  algorithm: 'ES256',
  state: 'retired',
  sealKey: 'k1',
  createdAt: 1_800_000_000,
  signsFrom: 1_800_000_000,
  endsAt: 1_800_003_900,
};
const CURRENT = { kid: 'kid-2', purpose: 'mfa', algorithm: 'HS256', state: 'current', sealKey: 'k2' } as const;

describe('the keys commands', () => {
  it('list prints keys with states and times, and the number of values under each seal key', async () => {
    const outcome = await run(['list']);

    expect(outcome).toMatchObject({ code: 0, errors: [] });
    expect(outcome.printed).toEqual([
      'kid-1  access  ES256  retired  signs from 2027-01-15T08:00:00.000Z, ends 2027-01-15T09:05:00.000Z, sealed under k1',
      'kid-2  mfa  HS256  current  signs from 1970-01-01T00:00:05.000Z, sealed under k2',
      'seal key k2 (active): 1 value',
      'seal key k1: 8 values',
    ]);
  });

  it.each([
    [['rotate'], false],
    [['rotate', '--now'], true],
  ])('%j creates the next keys, at once: %s', async (args, atOnce) => {
    const outcome = await run(args);

    expect(outcome.calls).toEqual([['rotate', { actor: 'cli', atOnce }], 'closed']);
    expect(outcome.printed).toEqual([
      'new-access  access  created, signs from 1970-01-02T00:00:00.000Z',
      'new-mfa  mfa  already present, signs from 1970-01-02T00:00:00.000Z',
    ]);
  });

  it('rotate explains what to do if the signing key is configured', async () => {
    const { printed } = await run(['rotate'], { purposes: ['mfa'] });

    expect(printed.at(-1)).toContain('app.security.token.signing-key');
  });

  it.each([
    [['retire', 'kid-1'], false],
    [['retire', 'kid-1', '--now'], true],
  ])('%j retires a key, at once: %s', async (args, atOnce) => {
    const outcome = await run(args);

    expect(outcome).toMatchObject({ code: 0, errors: [] });
    expect(outcome.calls).toEqual([['retire', 'kid-1', { actor: 'cli', atOnce }], 'closed']);
  });

  it('retire reports an unknown key', async () => {
    expect(await run(['retire', 'other'], { isKnown: false })).toMatchObject({
      code: 4,
      printed: [],
      errors: ['Unknown signing key other.'],
    });
  });

  it('rekey seals all values again and prints the remaining ones', async () => {
    const outcome = await run(['rekey']);

    expect(outcome.calls).toEqual([['reseal', 'cli'], 'resealTotpSecrets', 'closed']);
    expect(outcome.printed).toEqual([
      're-sealed: 2 signing keys, 5 TOTP keys',
      'seal key k2 (active): 1 value',
      'seal key k1: 8 values',
    ]);
  });

  it.each([
    [new SealFailure('k0', 'unknown key'), 'a value is sealed under the key "k0"'],
    [new ServiceError('UNAVAILABLE'), 'The database cannot be reached'],
  ])('rekey explains the failure (%s)', async (failure, sentence) => {
    const outcome = await run(['rekey'], { failure });

    expect(outcome).toMatchObject({ code: 1, printed: [] });
    expect(outcome.errors.join()).toContain(sentence);
    expect(outcome.calls).toContain('closed');
  });

  it('rekey rethrows an unexpected error', async () => {
    await expect(run(['rekey'], { failure: new TypeError('defect') })).rejects.toThrow('defect');
  });
});

async function run(args: readonly string[], situation: Situation = {}): Promise<Outcome> {
  const { failure, isKnown = true, purposes = ['access', 'mfa'] } = situation;
  const calls: unknown[] = [];
  const printed: string[] = [];
  const errors: string[] = [];
  let code: number | undefined;
  const noted = <T>(call: unknown, answer: T): Promise<T> => {
    calls.push(call);
    return failure ? Promise.reject(failure) : Promise.resolve(answer);
  };
  const rotation: Partial<KeyRotation> = {
    list: () => Promise.resolve([KEY, { ...CURRENT, createdAt: 5, signsFrom: 5 }]),
    rotate: (how) =>
      noted(
        ['rotate', how],
        purposes.map((purpose) => ({ purpose, kid: `new-${purpose}`, signsFrom: 86_400, isNew: purpose === 'access' })),
      ),
    retire: (kid, how) => noted(['retire', kid, how], isKnown),
    reseal: (actor) => noted(['reseal', actor], 2),
  };
  const services: KeysServices = {
    rotation: rotation as KeyRotation,
    activeSealKey: 'k2',
    resealTotpSecrets: () => noted('resealTotpSecrets', 5),
    countTotpSecrets: () => Promise.resolve(new Map([['k1', 7]])),
    close: () => {
      calls.push('closed');
      return Promise.resolve();
    },
  };
  const program = new Command().exitOverride();
  const parts = {
    open: () => Promise.resolve(services),
    actor: 'cli',
    print: (line: string) => void printed.push(line),
    printError: (line: string) => void errors.push(line),
  };
  addKeysCommand(program, parts, (exitCode) => {
    code = exitCode;
  });
  await program.parseAsync(['keys', ...args], { from: 'user' });
  return { code, printed, errors, calls };
}
