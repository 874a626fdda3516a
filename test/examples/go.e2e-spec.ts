import { join } from 'node:path';
import { preparedFolder } from '../support/examples/prepared-examples.js';
import { signsUsersIn } from '../support/examples/relying-party-story.js';
import { needs } from '../support/runner/needs.js';

await signsUsersIn({
  name: 'examples/go',
  describe: needs('go'),
  callback: '/callback',
  start: () => ({ command: join(preparedFolder('go'), 'example'), args: [] }),
});
