// npm run demo: runs the whole story of a login with two factors and prints each request and response.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Complaint } from './complaint.mjs';
import { Narrator } from './narrator.mjs';
import { runCli, startedService } from './stand.mjs';
import { tell } from './story.mjs';

const USAGE = `usage: npm run demo [-- --url <address> [--folder <folder>]]

Without --url, starts a service of its own in a temporary folder and removes both at the end.
  --url     a running service, with its context path, such as http://localhost:8080
  --folder  where that service runs, so that the commands use the same database; the current folder by default
`;

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
// The reader of the output may close it early.
process.stdout.on('error', () => process.exit(1));

try {
  const { url, folder, help } = options();
  if (help) process.stdout.write(USAGE);
  else await run(url, folder);
} catch (error) {
  if (!(error instanceof Complaint)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

async function run(url, folder) {
  const narrator = new Narrator();
  const id = `demo-${randomBytes(4).toString('hex')}`;
  if (url === undefined) {
    const service = await startedService();
    narrator.remark(`A service for this demo runs at ${service.url} in ${service.folder}.`);
    await tell({ ...service, narrator, id });
    await service.stop();
  } else {
    try {
      await tell({ url, folder, narrator, id });
    } finally {
      await leaveDisabled(id, folder, narrator);
    }
  }
  narrator.remark('End of the story.');
}

/** Disables the user of the demo; if the story failed before its creation, there is none. */
async function leaveDisabled(id, folder, narrator) {
  try {
    await runCli(['users', 'disable', id], { folder });
    narrator.remark(`The user ${id} remains, disabled.`);
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
  }
}

function options() {
  const { url, folder, help } = parsed();
  if (url === undefined && folder !== undefined) throw new Complaint('--folder requires --url.');
  if (url !== undefined && !/^https?:$/.test(protocolOf(url))) {
    throw new Complaint(`--url must be an address such as http://localhost:8080, not "${url}".`);
  }
  if (folder !== undefined && !existsSync(folder)) throw new Complaint(`The folder ${resolve(folder)} does not exist.`);
  return { url, folder: resolve(folder ?? '.'), help };
}

function parsed() {
  try {
    const { values } = parseArgs({
      options: { url: { type: 'string' }, folder: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    return values;
  } catch (error) {
    throw new Complaint(`${error.message}\n\n${USAGE}`);
  }
}

function protocolOf(url) {
  return URL.canParse(url) ? new URL(url).protocol : '';
}
