import type { Command } from 'commander';
import type { Act } from '../admin/act.js';
import type { Resends } from '../admin/resends.service.js';
import { printable } from '../../config/show/failure-report.js';
import type { MailBacklog } from '../../platform/mail/mail-backlog.service.js';
import type { MailRow } from '../../platform/mail/mail-message.js';
import { notFound } from './command-failure.js';
import { type CommandParts, type CommandResult, commandRunner } from './command-run.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { operatorAct, withReason } from './operator.js';
import { withLimit } from './page-limit.js';

/** Services that the commands need, opened for one command. */
export interface MailServices {
  readonly mailBacklog: Pick<MailBacklog, 'list'>;
  readonly resends: Pick<Resends, 'mail' | 'allMails'>;
  readonly close: () => Promise<void>;
}

/** Dependencies of the commands. */
export interface MailCommandParts extends CommandParts<MailServices> {
  /** Actor of the security events. */
  readonly actor: string;
}

interface ListOptions {
  readonly failed?: true;
  readonly after?: string;
  readonly limit: number;
}

const MAX_LIMIT = 200;

/** Adds `mail list` and `mail resend`. */
export function addMailCommand(program: Command, parts: MailCommandParts, exit: (code: ExitCode) => void): void {
  const mail = program.command('mail').description('shows mails that are not sent, and sends them again');
  const run = commandRunner(parts, exit);

  const listing = mail
    .command('list')
    .description('lists mails that wait or were given up, oldest first, a page at a time')
    .option('--failed', 'only mails that were given up')
    .option('--after <id>', 'continue after the mail with this id');
  withLimit(listing, 'mails', MAX_LIMIT).action((options: ListOptions) => run((services) => list(services, options)));

  withReason(mail.command('resend'))
    .description('sends mails again that were given up: those with the given ids, or all')
    .argument('[ids...]', 'ids that mail list prints')
    .option('--all', 'all mails that were given up')
    .action((ids: readonly string[], { all = false }: { readonly all?: boolean }) =>
      run((services) => {
        const act = operatorAct(parts.actor);
        return all ? resendAll(services, act) : resend(services, ids, act);
      }),
    );
}

async function list({ mailBacklog }: MailServices, { failed, after, limit }: ListOptions): Promise<readonly string[]> {
  const found = await mailBacklog.list({ state: failed ? 'failed' : undefined, after, limit });
  const last = found.length === limit ? found.at(-1) : undefined;
  return [...found.map(lineOf), ...(last ? [`More mails may follow: --after ${last.id}`] : [])];
}

/** Summary of a mail without its facts, which contain addresses of users. */
function lineOf({ id, created_at: at, state, template, user_id, attempts, last_error: error }: MailRow): string {
  const facts = [`subject=${user_id}`, `attempts=${attempts}`, error !== null && `error=${error}`, `id=${id}`];
  return printable([new Date(at).toISOString(), state.padEnd(7), template, ...facts.filter(Boolean)].join('  '));
}

async function resend({ resends }: MailServices, ids: readonly string[], act: Act): Promise<CommandResult> {
  if (ids.length === 0) return { message: 'State the ids of mails, or --all.', exitCode: EXIT.usage };
  const lines: string[] = [];
  for (const id of ids) {
    if (!(await resends.mail(id, act))) return notFound(`No mail ${printable(id)} was given up.`);
    lines.push(`Mail ${id} will be sent again.`);
  }
  return lines;
}

async function resendAll({ resends }: MailServices, act: Act): Promise<readonly string[]> {
  const count = await resends.allMails(act);
  return [count === 1 ? '1 mail will be sent again.' : `${count} mails will be sent again.`];
}
