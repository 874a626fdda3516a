import { join } from 'node:path';
import { exampleFile } from '../support/examples/example-program.js';
import { preparedFolder } from '../support/examples/prepared-examples.js';
import { signsUsersIn } from '../support/examples/relying-party-story.js';
import { needs } from '../support/runner/needs.js';

await signsUsersIn({
  name: 'examples/python',
  describe: needs('python'),
  callback: '/callback',
  start: () => ({
    command: join(preparedFolder('python'), 'venv/bin/python'),
    args: [exampleFile('python', 'app.py')],
  }),
});
