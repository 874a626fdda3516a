import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { exampleFile } from '../support/examples/example-program.js';
import { signsUsersIn } from '../support/examples/relying-party-story.js';
import { startEchoApplication } from '../support/forward-auth/echo-application.js';
import { temporaryFolder } from '../support/programs/temporary-folder.js';
import { programOf } from '../support/runner/binaries.js';
import { needs } from '../support/runner/needs.js';

const behind = await startEchoApplication();
afterAll(() => behind.stop());

await signsUsersIn({
  name: 'examples/apache (mod_auth_openidc)',
  describe: needs('apache'),
  callback: '/callback',
  backchannel: '/callback?logout=backchannel',
  signOut: (application) => `/callback?logout=${encodeURIComponent(`${application}/`)}`,
  start: () => ({
    command: programOf('apache'),
    args: ['-f', exampleFile('apache', 'httpd.conf'), '-DFOREGROUND'],
    env: {
      STATE: temporaryFolder('apache'),
      APPLICATION_PORT: String(behind.port),
      PASSPHRASE: randomBytes(32).toString('base64'),
    },
  }),
});
