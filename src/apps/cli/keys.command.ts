import type { Command } from 'commander';
import { printable } from '../../config/show/failure-report.js';
import { notFound } from './command-failure.js';
import { type CommandParts, type CommandResult, commandRunner } from './command-run.js';
import type { ExitCode } from './exit-code.js';
import { withReason } from './operator.js';
import type { PepperUse } from '../../identity/second-factor/backup-code/pepper-use.service.js';
import type { KeyRotation, ListedKey } from '../../identity/token/keys/key-rotation.service.js';

/** Services that the commands need, opened for one command. */
export interface KeysServices {
  readonly rotation: KeyRotation;
  /** Id of the seal key that seals new values. */
  readonly activeSealKey: string;
  /** Seals the TOTP keys of all users under the active seal key; returns how many were under another. */
  readonly resealTotpSecrets: () => Promise<number>;
  /** The number of TOTP keys that each seal key seals. */
  readonly countTotpSecrets?: () => Promise<ReadonlyMap<string, number>>;
  /** The number of accounts with backup codes of each pepper. */
  readonly pepperUses?: () => Promise<readonly PepperUse[] | undefined>;
  readonly close: () => Promise<void>;
}

/** Dependencies of the commands. */
export interface KeysCommandParts extends CommandParts<KeysServices> {
  /** Actor of the security events. */
  readonly actor: string;
}

/** `keys list`, `rotate`, `retire` and `rekey`; each sets the exit code by `exit`. */
export function addKeysCommand(program: Command, parts: KeysCommandParts, exit: (code: ExitCode) => void): void {
  const keys = program.command('keys').description('manage the keys that sign tokens and those that seal secrets');
  const run = commandRunner(parts, exit);

  keys
    .command('list')
    .description('lists the signing keys, the values of each seal key, and the accounts with codes of each pepper')
    .action(() =>
      run(async (services) => [...(await list(services)), ...(await seals(services)), ...(await peppers(services))]),
    );

  withReason(keys.command('rotate'))
    .description('creates the next signing keys: published now, in use a day later')
    .option('--now', 'use them immediately; other verifiers may reject new tokens until they fetch the keys again')
    .action(({ now = false }: { now?: boolean }) => run((services) => rotate(services, now, parts.actor)));

  withReason(keys.command('retire'))
    .description('retires a signing key; it still verifies until its tokens expire')
    .argument('<kid>', 'as shown by "keys list"')
    .option('--now', 'for a leaked key: reject the tokens it signed from now on')
    .action((kid: string, { now = false }: { now?: boolean }) =>
      run((services) => retire(services, kid, { atOnce: now, actor: parts.actor })),
    );

  withReason(keys.command('rekey'))
    .description('re-seals under the active seal key what another key seals; can be interrupted and run again')
    .action(() => run((services) => rekey(services, parts.actor)));
}

async function list({ rotation }: KeysServices): Promise<readonly string[]> {
  return (await rotation.list()).map(lineOf);
}

function lineOf({ kid, purpose, algorithm, state, signsFrom, endsAt, sealKey }: ListedKey): string {
  const times = `signs from ${instant(signsFrom)}${endsAt === undefined ? '' : `, ends ${instant(endsAt)}`}`;
  return `${kid}  ${purpose}  ${algorithm}  ${state}  ${times}, sealed under ${sealKey}`;
}

async function seals({ rotation, activeSealKey, countTotpSecrets }: KeysServices): Promise<readonly string[]> {
  const signing = Map.groupBy(await rotation.list(), ({ sealKey }) => sealKey);
  const totp = (await countTotpSecrets?.()) ?? new Map<string, number>();
  const ids = [...new Set([activeSealKey, ...signing.keys(), ...totp.keys()])];
  return ids.map((id) => {
    const total = (signing.get(id)?.length ?? 0) + (totp.get(id) ?? 0);
    const role = id === activeSealKey ? ' (active)' : '';
    return `seal key ${id}${role}: ${total} ${total === 1 ? 'value' : 'values'}`;
  });
}

async function peppers({ pepperUses }: KeysServices): Promise<readonly string[]> {
  return ((await pepperUses?.()) ?? []).map(({ key, state, accounts }) => {
    const role = { active: ' (active)', configured: '', missing: ' (not configured: its codes are rejected)' }[state];
    const codes = key === undefined ? 'backup codes without a pepper' : `backup codes of ${key}${role}`;
    return `${codes}: ${accounts} ${accounts === 1 ? 'account' : 'accounts'}`;
  });
}

async function rotate({ rotation }: KeysServices, atOnce: boolean, actor: string): Promise<CommandResult> {
  const rotated = await rotation.rotate({ actor, atOnce });
  const lines = rotated.map(({ purpose, kid, signsFrom, isNew }) => {
    const from = isNew ? 'created' : 'already present';
    return `${kid}  ${purpose}  ${from}, signs from ${instant(signsFrom)}`;
  });
  const isConfigured = rotated.every(({ purpose }) => purpose !== 'access');
  const note = 'Access tokens are signed with app.security.token.signing-key: replace the key there.';
  return isConfigured ? [...lines, note] : lines;
}

async function retire(
  { rotation }: KeysServices,
  kid: string,
  how: { readonly actor: string; readonly atOnce: boolean },
): Promise<CommandResult> {
  const isDone = await rotation.retire(kid, how);
  if (!isDone) return notFound(`Unknown signing key ${printable(kid)}.`);
  const effect = how.atOnce ? 'no longer verifies' : 'no longer signs; verifies until its tokens have expired';
  return [`${kid}  ${effect}; other processes follow within half a minute`];
}

async function rekey(services: KeysServices, actor: string): Promise<CommandResult> {
  const { rotation, resealTotpSecrets } = services;
  const signing = await rotation.reseal(actor);
  const totp = await resealTotpSecrets();
  return [`re-sealed: ${signing} signing keys, ${totp} TOTP keys`, ...(await seals(services))];
}

function instant(epochSeconds: number): string {
  return new Date(epochSeconds * 1000).toISOString();
}
