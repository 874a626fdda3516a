import { exampleFile } from '../support/examples/example-program.js';
import { signsUsersIn } from '../support/examples/relying-party-story.js';

await signsUsersIn({
  name: 'examples/express',
  callback: '/callback',
  backchannel: '/backchannel-logout',
  start: () => ({ command: process.execPath, args: [exampleFile('express', 'server.js')] }),
});
