import { expect, it } from 'vitest';
import { adminSceneOn, loginIdsIn, USERS } from '../support/admin-pages.js';
import { csv } from '../support/administrator.js';
import { freePort } from '../support/free-port.js';
import { unescaped } from '../support/pages.js';
import { onEachEngine } from '../support/story-database.js';

const PORTS = { SQLite: await freePort(), MariaDB: await freePort(), Galera: 0 };
const EVENTS = `${USERS}/events`;

onEachEngine('pages of the import and of the events', (engine) => {
  const scene = adminSceneOn(engine, PORTS[engine.name]);
  const { story } = scene;

  const file = csv('login_id,password', 'imported-1,five grey herons & 2 piers', 'imported-2,x');

  it('a preview of an import shows each faulty row and stores nothing; then all rows or the valid ones', async () => {
    const find = async (): Promise<readonly string[]> =>
      loginIdsIn(await scene.admin.visit(`${USERS}?query=imported-`));
    const preview = await scene.admin.upload('preview', file);
    expect(preview.text).toContain('Nothing was stored. 1 user would be created; 1 error.');
    expect(preview.text).toMatch(/<td>3<\/td><td>password<\/td>/);
    expect(await find()).toEqual([]);
    expect((await scene.admin.upload('all', file)).text).toContain('0 users were created; 1 error.');
    expect(await find()).toEqual([]);
    expect((await scene.admin.upload('partial', file)).text).toContain('1 user was created; 1 error.');
    expect(await find()).toEqual(['imported-1']);
    const picture = await scene.admin.upload('all', {
      content: 'GIF89a',
      fileName: 'picture.gif',
      mediaType: 'image/gif',
    });
    expect(picture).toBeAnswered(400);
    expect(picture.text).toContain('This file is not a CSV or JSON lines file of users.');
  });

  it('the events show a filter, and the links export what it shows', async () => {
    const user = await story.enrolled();
    const [other] = [await story.enrolled()];
    const page = await scene.admin.visit(`${EVENTS}?user=${user.id}&kind=MFA_CONFIRMED&from=2020-01-01&to=2099-01-01`);
    const rows = [...page.text.matchAll(/<code>([A-Z_]+)<\/code>/g)].map(([, kind]) => kind);
    expect(rows).toEqual(['MFA_CONFIRMED']);
    expect(page.text).toContain(`value="${user.id}"`);

    for (const format of ['csv', 'jsonl']) {
      const [, path = ''] =
        new RegExp(`href="/auth(/admin/events/export\\?format=${format}[^"]*)"`).exec(page.text) ?? [];
      const exported = await scene.admin.client.get(unescaped(path));
      expect(exported).toBeAnswered(200);
      expect(exported.text).toContain(await story.subjectOf(user));
      expect(exported.text).not.toContain(await story.subjectOf(other));
    }
    expect((await scene.admin.visit(`${EVENTS}?user=nobody-here`)).text).not.toContain('/admin/events/export');
    expect(await scene.admin.visit(`${EVENTS}?to=9999-12-31`)).toBeAnswered(200);
    const older = /href="\/auth(\/portal\/admin\/events\?[^"]*after=[^"]*)"/.exec(
      (await scene.admin.visit(EVENTS)).text,
    )?.[1];
    expect(await scene.admin.visit(unescaped(older ?? ''))).toBeAnswered(200);
  });
});
