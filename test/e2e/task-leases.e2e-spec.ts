import { expect, it } from 'vitest';
import { storyOn } from '../support/login-story.js';
import { managed, OPERATOR } from '../support/management.js';
import { onEachEngine } from '../support/story-database.js';
import { waitUntil } from '../support/wait-until.js';

interface TaskView {
  readonly runnable: { readonly target: string };
  readonly nextExecution?: { readonly time: string };
  readonly lastExecution?: { readonly status: string };
}

onEachEngine('two services', (engine) => {
  const story = storyOn(engine, {
    services: 2,
    isAlone: true,
    args: [
      '--management.endpoints.web.exposure.include=*',
      `--management.security.user=${OPERATOR.user}`,
      `--management.security.password=${OPERATOR.password}`,
    ],
  });

  /** The task at each of the services. */
  const views = (target: string): Promise<readonly (TaskView | undefined)[]> =>
    Promise.all(
      story.services.map(async (service) => {
        const { body } = await managed(service).operator.get('/scheduledtasks');
        const all = Object.values(body as Record<string, readonly TaskView[]>).flat();
        return all.find(({ runnable }) => runnable.target === target);
      }),
    );

  it('share a job that runs on one replica at a time, and each run the jobs of their own memory', async () => {
    await waitUntil('both have run a job of their own', async () =>
      (await views('LockedAccounts.look')).every((view) => view?.lastExecution?.status === 'SUCCESS'),
    );
    const shared = await waitUntil('one has run the shared job, and the other one has looked', async () => {
      const both = await views('AbandonedImports.settle');
      const isPlanned = both.every((view) => Date.parse(view?.nextExecution?.time ?? '') > Date.now() + 5000);
      return isPlanned && both;
    });

    expect(shared.filter((view) => view?.lastExecution?.status === 'SUCCESS')).toHaveLength(1);
    expect(shared.filter((view) => view?.lastExecution === undefined)).toHaveLength(1);
  });
});
