import { afterEach, describe, expect, it } from 'vitest';
import { FakeConsole } from '../../support/management/fake-console.js';
import { IdpServer } from '../../support/saml/identity-provider-server.js';
import { type ManagedService, startManaged } from '../../support/management/management.js';
import { WebhookReceiver } from '../../support/events/webhook-receiver.js';
import { waitUntil } from '../../support/runner/wait-until.js';

interface TaskView {
  readonly runnable: { readonly target: string };
  readonly nextExecution?: { readonly time: string };
  readonly lastExecution?: { readonly status: string };
}

describe('app.task.scheduling.pool.size of a running service', { timeout: 60_000 }, () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  const started = async (args: readonly string[]): Promise<ManagedService> => {
    const service = await startManaged({ args });
    stops.push(() => service.stop());
    return service;
  };
  const tasksOf = async (service: ManagedService): Promise<readonly TaskView[]> => {
    const { body } = await service.operator.get('/scheduledtasks');
    return Object.values(body as Record<string, readonly TaskView[]>).flat();
  };
  const task = async (service: ManagedService, target: string): Promise<TaskView | undefined> =>
    (await tasksOf(service)).find(({ runnable }) => runnable.target === target);
  const threads = async (service: ManagedService): Promise<readonly string[]> => {
    const { body } = await service.operator.get('/threaddump');
    return (body['threads'] as readonly { readonly threadName: string }[]).map(({ threadName }) => threadName);
  };
  /** A service whose first job waits for the metadata of an identity provider until `answer` is called. */
  const withLongJob = async (size: number): Promise<{ readonly service: ManagedService; answer: () => void }> => {
    const held = Promise.withResolvers<undefined>();
    const server = await IdpServer.start({ metadataAnswer: { heldUntil: held.promise } });
    stops.push(() => server.stop());
    const service = await started([
      `--app.security.saml.idp.corp.metadata=${server.metadataUrl}`,
      `--app.task.scheduling.pool.size=${size}`,
    ]);
    await waitUntil(
      'the long job is running',
      async () => (await task(service, 'MetadataRefresh.refresh'))?.lastExecution?.status === 'STARTED',
    );
    return { service, answer: () => held.resolve(undefined) };
  };
  const isOverdue = (view: TaskView | undefined): boolean =>
    view?.lastExecution === undefined && Date.parse(view?.nextExecution?.time ?? '') < Date.now() - 200;

  it('1 delays every other job until a long one has ended, and scheduledtasks shows that they are due', async () => {
    const { service, answer } = await withLongJob(1);
    const due = await waitUntil('a job is overdue', async () => {
      const view = await task(service, 'LockedAccounts.look');
      return isOverdue(view) && view;
    });
    expect(due.lastExecution).toBeUndefined();
    expect(await threads(service)).toContain('MetadataRefresh.refresh');
    expect(await threads(service)).not.toContain('LockedAccounts.look');

    answer();
    await waitUntil('the job has run', async () => (await task(service, 'LockedAccounts.look'))?.lastExecution);
  });

  it('2 lets the other jobs run beside a long one', async () => {
    const { service } = await withLongJob(2);

    const run = await waitUntil(
      'the job has run',
      async () => (await task(service, 'LockedAccounts.look'))?.lastExecution,
    );
    expect(run.status).toBe('SUCCESS');
    expect((await task(service, 'MetadataRefresh.refresh'))?.lastExecution?.status).toBe('STARTED');
  });

  it('a shutdown ends the job in progress, and runs none of those that wait', async () => {
    const { service } = await withLongJob(1);
    await waitUntil('a job is overdue', async () => isOverdue(await task(service, 'LockedAccounts.look')));

    expect(await service.stop()).toBe(0);
    expect(service.log.filter((line) => line.startsWith('ERROR') || line.includes('LockedAccounts'))).toEqual([]);
  });

  it('the packaged size has a place for each job of a service with every feature on', async () => {
    const [webhook, console, idp] = await Promise.all([
      new WebhookReceiver().start(),
      FakeConsole.start(),
      IdpServer.start(),
    ]);
    stops.push(
      () => webhook.stop(),
      () => console.stop(),
      () => idp.stop(),
    );
    const service = await started([
      `--app.security.webhook.url=${webhook.url}`,
      `--app.boot.admin.client.url=${console.url}`,
      `--app.security.saml.idp.corp.metadata=${idp.metadataUrl}`,
      '--app.security.events.retention=400d',
      '--app.mail.host=127.0.0.1',
      '--management.endpoint.env.show-values=always',
      '--app.mail.from=login@example.test',
    ]);
    const targets = (await tasksOf(service)).map(({ runnable }) => runnable.target);

    // One of them belongs to the identity provider.
    expect(targets).toHaveLength(18 + 1);
    const { body } = await service.operator.get('/env/app.task.scheduling.pool.size');
    expect(Number((body['property'] as { readonly value: string }).value)).toBeGreaterThanOrEqual(targets.length);
  });
});
