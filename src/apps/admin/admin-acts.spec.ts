import { describe, expect, it } from 'vitest';
import { ImportFile } from '../../identity/account/import/import-file.js';
import type { Accounts } from '../../identity/account/accounts.service.js';
import type { SecurityEvent } from '../../identity/events/security-event.js';
import type { SecurityEvents } from '../../identity/events/security-events.service.js';
import { commandReason, commandTicket } from '../../kernel/principal/command-context.js';
import { AccountProvisioning } from './account-provisioning.service.js';
import type { Act } from './act.js';
import { AdminActs } from './admin-acts.service.js';
import type { ProtectedRoles } from './protected-roles.service.js';
import { BulkProvisioning } from './bulk-provisioning.service.js';
import { EventExports } from './event-exports.service.js';
import { KeyAdministration } from './key-administration.service.js';
import { PersonExport } from './person-export.service.js';

const HELP_DESK: Act = { actor: 'desk', authority: 'help desk', reason: 'lost phone', ticket: 'HD-4711' };
const ANNA = { id: 'anna', loginId: 'anna' };

interface Recorded extends SecurityEvent {
  readonly justification: readonly unknown[];
}

/** The services of acts that only administrators may perform; all that they call refuses, apart from the look-up of users. */
function situation() {
  const recorded: Recorded[] = [];
  const events = {
    recordAlone: (event: SecurityEvent) => {
      recorded.push({ ...event, justification: [commandReason(), commandTicket()] });
      return Promise.resolve();
    },
  } as unknown as SecurityEvents;
  const accounts = {
    find: (id: string) => Promise.resolve(id === ANNA.id ? ANNA : undefined),
    findByLoginId: (id: string) => Promise.resolve(id === ANNA.id ? ANNA : undefined),
  } as unknown as Accounts;
  const untouched = new Proxy(
    {},
    {
      get: (_target, name) => {
        throw new Error(`${String(name)} was called`);
      },
    },
  ) as never;
  const acts = new AdminActs(accounts, events, untouched, untouched, untouched);
  const provisioning = new AccountProvisioning(accounts, untouched, untouched, untouched, acts);
  const bulk = new BulkProvisioning(untouched, untouched, acts, { names: [] } as unknown as ProtectedRoles);
  const keys = new KeyAdministration(untouched, acts);
  const eventExports = new EventExports(untouched, untouched, acts);
  const personExport = new PersonExport(accounts, untouched, untouched, untouched, acts);
  return { recorded, provisioning, bulk, keys, eventExports, personExport };
}

type Situation = ReturnType<typeof situation>;

const UNREAD = new ImportFile(() => {
  throw new Error('the file was opened');
}, 'csv');

describe('AdminActs', () => {
  it.each<readonly [string, string | undefined, (services: Situation) => Promise<unknown>]>([
    ['create', undefined, ({ provisioning }) => provisioning.create({ loginId: 'eva' }, HELP_DESK)],
    ['create', undefined, ({ provisioning }) => provisioning.createTemporary({ loginId: 'eva' }, HELP_DESK)],
    ['create', undefined, ({ provisioning }) => provisioning.createFromDraft({ loginId: 'eva' }, HELP_DESK)],
    ['invite', undefined, ({ provisioning }) => provisioning.invite({ loginId: 'eva' }, 'link', HELP_DESK)],
    ['invite', 'anna', ({ provisioning }) => provisioning.invite({ loginId: 'anna' }, 'mail', HELP_DESK)],
    ['previewImport', undefined, ({ bulk }) => bulk.preview({} as AsyncIterable<never>, HELP_DESK)],
    ['import', undefined, ({ bulk }) => bulk.import(UNREAD, { ...HELP_DESK, isPartial: false })],
    ['rotateKeys', undefined, ({ keys }) => keys.rotate(HELP_DESK)],
    ['exportEvents', undefined, ({ eventExports }) => eventExports.export({}, 'csv', HELP_DESK)],
    ['exportEvents', 'anna', ({ eventExports }) => eventExports.export({ user: 'anna' }, 'csv', HELP_DESK)],
    ['exportUser', 'anna', ({ personExport }) => personExport.export('anna', HELP_DESK)],
  ])('A7: %s of %s by the help desk does nothing, and its refusal is recorded', async (act, subject, call) => {
    const services = situation();

    await expect(call(services)).rejects.toMatchObject({ code: 'ACCESS_DENIED' });

    expect(services.recorded).toEqual([
      {
        kind: 'ADMIN_ACT_REFUSED',
        ...(subject !== undefined && { subject }),
        actor: 'desk',
        result: 'refused',
        reason: 'help desk',
        detail: { act },
        justification: ['lost phone', 'HD-4711'],
      },
    ]);
  });

  it('A7: a mistake of the caller is not recorded as a refusal', async () => {
    const { recorded, keys, personExport } = situation();
    const act: Act = { actor: 'boss', authority: 'administrator' };

    await expect(keys.rotate({ ...act, reason: ' ' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(personExport.export('nobody', act)).rejects.toMatchObject({ code: 'NOT_FOUND' });

    expect(recorded).toEqual([]);
  });
});
