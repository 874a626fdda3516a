import type { Command } from 'commander';
import type { Act } from '../../admin/account-administration.service.js';
import type { RunCommand } from '../command-run.js';
import { writeExport } from '../export-output.js';
import { withReason } from '../operator.js';
import { ofUser, type UsersServices } from './users-services.command.js';

/** Dependencies of the command. */
export interface UserExportParts {
  readonly act: () => Act;
  readonly run: RunCommand<UsersServices>;
  readonly output: NodeJS.WritableStream;
}

/** Adds `users export`. */
export function addUserExport(users: Command, { act, run, output }: UserExportParts): void {
  withReason(users.command('export'))
    .description('writes everything that is stored about one user as JSON, without secrets; the export is an event')
    .argument('<id>', 'login id')
    .option('--out <file>', 'a new file, mode 600; without it standard output')
    .action((id: string, { out }: { out?: string }) =>
      run((services) =>
        ofUser(services, id, async ({ id: subject }) =>
          writeExport(await services.personExport.export(subject, act()), { out, output }),
        ),
      ),
    );
}
