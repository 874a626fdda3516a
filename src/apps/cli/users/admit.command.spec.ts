import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { StaffCreation } from '../../../identity/account/staff/staff-accounts.service.js';
import { StaffAdmission } from '../../admin/staff-admission.service.js';
import type { UnitOfWork } from '../../../platform/persistence/unit-of-work.js';
import { IdpProperties, SamlProperties } from '../../../signin/saml/saml.properties.js';
import { IdentityProvider } from '../../../../test/support/saml/identity-provider.js';
import { temporaryFolder } from '../../../../test/support/programs/temporary-folder.js';
import { addAdmitCommand } from './admit.command.js';

const BY_HAND = { entityId: 'https://idp.test/metadata', ssoUrl: 'https://idp.test/sso', certificates: ['x'] };

const ACT = { actor: 'cli', authority: 'operator' } as const;

describe('users admit', () => {
  it('creates the account of a person with roles and a mail address', async () => {
    const args = ['--person', 'ada', '--roles', 'ROLE_A,ROLE_B', '--email', 'ada@example.org'];

    const { answer, calls } = await admit(BY_HAND, ...args);

    expect(answer).toEqual(['Created user corp:ada, who may sign in through corp.']);
    const who = { idp: 'corp', issuer: BY_HAND.entityId, person: 'ada', email: 'ada@example.org' };
    expect(calls).toEqual([[{ ...who, roles: ['ROLE_A', 'ROLE_B'] }, 'cli']]);
  });

  it('reads the entity id from a file with metadata', async () => {
    const idp = IdentityProvider.make({ entityId: 'https://file.test/metadata' });
    const file = join(temporaryFolder(), 'metadata.xml');
    writeFileSync(file, idp.metadata({ ssoUrl: 'https://file.test/sso' }));

    const { calls } = await admit({ metadata: `file:${file}` }, '--person', 'ada');

    expect(calls).toEqual([[{ idp: 'corp', issuer: 'https://file.test/metadata', person: 'ada', roles: [] }, 'cli']]);
  });

  it('needs the entity id if the metadata is at a URL', async () => {
    const keys = { metadata: 'https://idp.test/metadata.xml' };

    const withoutIssuer = await admit(keys, '--person', 'ada');
    const withIssuer = await admit(keys, '--person', 'ada', '--issuer', 'https://idp.test/metadata');

    expect(withoutIssuer).toEqual({
      answer: { message: 'The metadata of corp is at a URL: give its entity id by --issuer.' },
      calls: [],
    });
    expect(withIssuer.calls).toMatchObject([[{ issuer: 'https://idp.test/metadata' }, 'cli']]);
  });

  it.each([
    [BY_HAND, ['--issuer', 'https://other.test/'], 'The entity id of corp is https://idp.test/metadata.'],
    [{ metadata: 'file:/nowhere/metadata.xml' }, [], 'The metadata of corp cannot be used: the file cannot be read'],
    [undefined, [], 'Unknown identity provider "corp": app.security.saml.idp.corp.* is not set.'],
  ])('creates no account without a known identity provider (%j, %j)', async (keys, args, message) => {
    const { answer, calls } = await admit(keys, '--person', 'ada', ...args);

    expect(answer).toMatchObject({ message: expect.stringContaining(message) as string });
    expect(calls).toEqual([]);
  });
});

async function admit(keys: object | undefined, ...args: readonly string[]) {
  const calls: unknown[] = [];
  let answer: unknown;
  const properties = keys && Object.assign(new IdpProperties(), keys);
  const saml = Object.assign(new SamlProperties(), { idp: new Map(properties ? [['corp', properties]] : []) });
  const staff = {
    admit: (_tx: unknown, person: { readonly person: string }, actor: string) => {
      calls.push([person, actor]);
      return Promise.resolve({ loginId: `corp:${person.person}` });
    },
  } as unknown as StaffCreation;
  const work = { run: (act: (tx: unknown) => unknown) => act('tx') } as unknown as UnitOfWork;
  const services = { admission: new StaffAdmission(staff, work, saml) };
  const users = new Command('users').exitOverride();
  addAdmitCommand(
    users,
    () => ACT,
    async (command) => {
      answer = await command(services);
    },
  );
  await users.parseAsync(['admit', '--idp', 'corp', ...args], { from: 'user' });
  return { answer, calls };
}
