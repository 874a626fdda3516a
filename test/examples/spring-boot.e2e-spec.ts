import { join } from 'node:path';
import { preparedFolder } from '../support/examples/prepared-examples.js';
import { signsUsersIn } from '../support/examples/relying-party-story.js';
import { programOf } from '../support/runner/binaries.js';
import { needs } from '../support/runner/needs.js';

await signsUsersIn({
  name: 'examples/spring-boot',
  describe: needs('spring-boot'),
  callback: '/login/oauth2/code/login',
  backchannel: '/logout/connect/back-channel/login',
  start: () => ({
    command: programOf('java'),
    // Starts sooner: no optimized code, which a short run does not need.
    args: ['-XX:TieredStopAtLevel=1', '-Xmx256m', '-jar', join(preparedFolder('spring-boot'), 'target/example.jar')],
  }),
});
